//! The core's JSON values as text, for modules to parse.

use bouncer_core::value::Value;

/// The text of a value, without white space, numbers as they were written.
pub(crate) fn text_of(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(digits) => out.push_str(digits),
        Value::String(text) => write_string(text, out),
        Value::Array(items) => write_list(('[', ']'), items, out, write),
        Value::Object(members) => write_list(('{', '}'), members, out, |(key, value), out| {
            write_string(key, out);
            out.push(':');
            write(value, out);
        }),
    }
}

fn write_list<T>(ends: (char, char), items: &[T], out: &mut String, write_item: impl Fn(&T, &mut String)) {
    out.push(ends.0);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_item(item, out);
    }
    out.push(ends.1);
}

fn write_string(text: &str, out: &mut String) {
    // A string without its map keys or numbers cannot fail to serialise.
    out.push_str(&serde_json::Value::from(text).to_string());
}
