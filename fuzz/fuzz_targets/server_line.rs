//! A look at a server's line never panics, and marking its questions changes nothing but their messages.
#![no_main]

use bouncer_core::line::question::marked;
use bouncer_core::line::server::look;
use libfuzzer_sys::fuzz_target;

const MARK: &str = "[\"m\" \u{e9}] ";

/// The messages that begin with the mark, and the value without the marks.
fn unmark(value: &mut serde_json::Value, count: &mut usize) {
    match value {
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| unmark(item, count)),
        serde_json::Value::Object(members) => {
            for words in ["message", "systemPrompt"] {
                if let Some(serde_json::Value::String(text)) = members.get_mut(words)
                    && let Some(rest) = text.strip_prefix(MARK)
                {
                    *text = rest.to_owned();
                    *count += 1;
                }
            }
            members.values_mut().for_each(|member| unmark(member, count));
        }
        _ => {}
    }
}

fuzz_target!(|data: &[u8]| {
    let line = look(data);
    let _ = (line.result(), line.error(), line.params(), line.whole(), line.extras(), line.text(), line.may_ask());
    let _ = line.result_strict();
    let Ok(questions) = line.questions() else { return };
    assert_eq!(marked(data, &[], &[]), data);
    if questions.is_empty() {
        return;
    }
    let out = marked(data, &questions, &vec![MARK.to_owned(); questions.len()]);
    let theirs = serde_json::from_slice::<serde_json::Value>(data);
    let (Ok(before), false) = (theirs, data.windows(2).any(|w| w == b"[\\" || w == b"\\u")) else { return };
    let mut after: serde_json::Value = serde_json::from_slice(&out).expect("still JSON");
    let mut count = 0;
    unmark(&mut after, &mut count);
    assert!(count >= 1);
    // A message that was not there is an empty one now.
    assert!(after == before || after.to_string().len() > before.to_string().len());
});
