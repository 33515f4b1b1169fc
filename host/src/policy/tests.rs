//! What policy files of both syntaxes mean, and how their mistakes are shown.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use super::keys::{MODULE_KEYS, SERVER_KEYS, SINK_KEYS, Shape, TOOL_KEYS, TOP_KEYS};
use super::{EXAMPLE, Format, Origin, Policy, PolicyError, SCHEMA};
use bouncer_core::contract::{Contract, OnTainted, Profile, Stated};
use std::path::Path;

fn parse(text: &str, format: Format) -> Result<Policy, PolicyError> {
    Policy::parse(text, format, Path::new("/home/ann/rules"), Path::new("p.file"))
}

fn toml(text: &str) -> Policy {
    parse(text, Format::Toml).unwrap_or_else(|error| panic!("{error}"))
}

fn yaml(text: &str) -> Policy {
    parse(text, Format::OlderYaml).unwrap_or_else(|error| panic!("{error}"))
}

/// The file is refused: everything that is said, and the places.
fn refused(text: &str, format: Format) -> (String, Vec<(usize, usize)>) {
    match parse(text, format) {
        Err(PolicyError::Malformed(malformed)) => (malformed.draw(false), malformed.places().collect()),
        Err(other) => panic!("{other}"),
        Ok(policy) => panic!("taken: {policy:?}"),
    }
}

fn of(policy: &Policy, tool: &str) -> Vec<Contract> {
    policy.stated("srv", tool).into_iter().map(|stated| stated.contract).collect()
}

/// What is said in all, in a form that can be compared (patterns by their text).
fn meaning(policy: &Policy, tool: &str) -> Vec<String> {
    of(policy, tool).iter().map(|contract| format!("{contract:?}")).collect()
}

const OLDER: &str = r#"# the older file
send_email:          # a comment
  exfiltrating: true
  sink_params: [to, "cc"]
  trusted_destinations:
    - bob@corp.com
  max_calls: 3
write_file:
  write_params: [path]
  allowed_path_prefixes: ["out", "/srv/x/../y"]
  arg_patterns: {path: '[a-z/]+'}
search: null
list: ~
empty:
"#;

const SAME: &str = r#"
[tools.send_email]
exfiltrating = true
sink_params = ["to", "cc"]
trusted_destinations = ["bob@corp.com"]
max_calls = 3
[tools.write_file]
write_params = ["path"]
allowed_path_prefixes = ["out", "/srv/x/../y"]
arg_patterns = { path = '[a-z/]+' }
[tools.search]
[tools.list]
[tools.empty]
"#;

#[test]
fn the_older_format_means_the_same() {
    let (older, newer) = (yaml(OLDER), toml(SAME));
    for tool in ["send_email", "write_file", "search", "list", "empty", "unknown"] {
        assert_eq!(meaning(&older, tool), meaning(&newer, tool), "{tool}");
    }
    assert_eq!(of(&older, "send_email").len(), 4);
    assert_eq!(older.tools().count(), 5);
    let quoted = yaml("a: {max_calls: 2, exfiltrating: yes}\n");
    assert_eq!(of(&quoted, "a")[1].exfiltrating, Some(true));
    assert!(of(&yaml(""), "a").is_empty() && of(&yaml("# nothing\n"), "a").is_empty());
}

#[test]
fn every_key_of_a_tool_arrives() {
    let policy = toml(
        r#"
profile = "strict"
ask_timeout = 30
trusted_destinations = ["*@corp.com"]
[tools.t]
exfiltrating = false
sink_params = ["to"]
trusted_destinations = ["a@b.org"]
write_params = ["path"]
allowed_path_prefixes = ["."]
arg_patterns = { subject = "a+" }
max_calls = 0
sinks = [{ params = ["owner", "repo"], kind = "repository" }]
harmless_params = ["note"]
directories = ["/contacts/*/email"]
destructive = true
replace = true
tainted = "ask"
fields = "deny"
profile = "paranoid"
"#,
    );
    assert_eq!((policy.profile(), policy.ask_timeout()), (Some(Profile::Strict), Some(30)));
    assert_eq!(policy.trusted().collect::<Vec<_>>(), [("*@corp.com", "p.file:4".to_owned())]);
    let all = policy.stated("srv", "t");
    let said = |place: &str| -> &Contract {
        let found: Vec<&Stated> = all.iter().filter(|stated| stated.said.place == place).collect();
        assert_eq!(found.len(), 1, "{place}");
        assert!(found[0].may_loosen);
        &found[0].contract
    };
    assert_eq!(said("p.file:4").trusted_destinations, ["*@corp.com"]);
    assert_eq!(said("p.file:6").exfiltrating, Some(false));
    assert_eq!(said("p.file:7").sinks[0].params.len(), 1);
    assert_eq!(said("p.file:8").trusted_destinations, ["a@b.org"]);
    assert_eq!(said("p.file:9").write_params.len(), 1);
    assert_eq!(said("p.file:10").allowed_path_prefixes.as_deref().unwrap(), ["/home/ann/rules"]);
    let (_, pattern) = &said("p.file:11").arg_patterns[0];
    assert!(pattern.is_match("aa") && !pattern.is_match("aab") && !pattern.is_match("a\n"));
    assert_eq!(said("p.file:12").max_calls, Some(0));
    let sink = &said("p.file:13").sinks[0];
    assert_eq!((sink.params.len(), sink.join.as_str()), (2, "/"));
    assert_eq!(said("p.file:14").harmless.len(), 1);
    assert_eq!(said("p.file:15").directories.len(), 1);
    assert_eq!(said("p.file:16").destructive, Some(true));
    assert!(said("p.file:17").replace);
    assert_eq!(said("p.file:18").on_tainted, Some(OnTainted::Ask));
    assert!(said("p.file:19").deny_fields);
    assert_eq!(said("p.file:20").profile, Some(Profile::Paranoid));
    // The file's own profile gives way to the tool's, and holds for the others.
    assert_eq!(all.iter().filter(|stated| stated.contract.profile.is_some()).count(), 1);
    assert_eq!(of(&policy, "other")[0].profile, Some(Profile::Strict));
}

#[test]
fn unknown_keys_are_refused_with_a_suggestion() {
    let (text, places) = refused("[tools.t]\nmax_call = 1\n", Format::Toml);
    assert!(
        text.contains("unknown key `max_call` in tool `t`") && text.contains("did you mean `max_calls`?")
    );
    assert_eq!(places, [(2, 1)]);
    let (text, places) = refused("t:\n  sink-params: [to]\n", Format::OlderYaml);
    assert!(text.contains("did you mean `sink_params`?"), "{text}");
    assert_eq!(places, [(2, 3)]);
    assert!(refused("[tool.t]\n", Format::Toml).0.contains("did you mean `tools`?"));
    assert!(refused("t: {destructive: true}\n", Format::OlderYaml).0.contains("needs the TOML format"));
    assert!(refused("[servers.a.tool.b]\n", Format::Toml).0.contains("did you mean `tools`?"));
    assert!(refused("[tools.t]\nsinks=[{parm='a'}]", Format::Toml).0.contains("unknown key `parm`"));
    assert!(refused("[tools.t]\nx.y.z = 1", Format::Toml).0.contains("not a key of a policy file"));
}

#[test]
fn every_key_refuses_every_wrong_type() {
    for spec in TOOL_KEYS {
        for (value, shapes) in [
            ("true", &[Shape::Flag][..]),
            ("1", &[Shape::Count]),
            ("-1", &[]),
            ("1.5", &[]),
            ("'x'", &[]),
            ("[1]", &[]),
            ("[['x']]", &[]),
            ("{ a = 1 }", &[]),
            ("1979-05-27", &[]),
        ] {
            let text = format!("[tools.t]\n{} = {value}\n", spec.name);
            if shapes.contains(&spec.shape) {
                toml(&text);
            } else {
                let (drawn, places) = refused(&text, Format::Toml);
                assert_eq!(places[0].0, 2, "{drawn}");
                assert!(drawn.contains("expected"), "{drawn}");
            }
            if spec.older && !value.contains('=') {
                let text = format!("t:\n  {}: {value}\n", spec.name);
                match shapes.contains(&spec.shape) {
                    true => drop(yaml(&text)),
                    false => assert_eq!(refused(&text, Format::OlderYaml).1[0].0, 2),
                }
            }
        }
    }
    for text in ["tools = 1", "servers = []", "packs = 'x'", "[packs]\na = 1", "modules = {}", "tools.t = []"]
    {
        assert!(refused(text, Format::Toml).0.contains("must be a"), "{text}");
    }
    for text in ["ask_timeout = 0", "ask_timeout = 86401", "ask_timeout = '9'", "profile = 'lax'"] {
        refused(text, Format::Toml);
    }
    for text in ["- a\n- b\n", "just words\n", "t: [a]\n", "t: 3\n"] {
        assert!(refused(text, Format::OlderYaml).0.contains("must be a table"), "{text}");
    }
}

#[test]
fn a_bad_pattern_is_named_with_tool_argument_and_line() {
    let (text, places) = refused("[tools.send]\n\n[tools.send.arg_patterns]\nto = '(a'\n", Format::Toml);
    assert!(
        text.contains("the pattern for argument `to` of tool `send` is not a regular expression"),
        "{text}"
    );
    assert!(text.contains("unclosed group"), "{text}");
    assert_eq!(places, [(4, 6)]);
    let (text, places) = refused("send:\n  arg_patterns:\n    to: '(a'\n", Format::OlderYaml);
    assert!(text.contains("argument `to` of tool `send`"), "{text}");
    assert_eq!(places, [(3, 9)]);
    // What would close the group that anchors it, and what would swallow its end.
    refused("[tools.t]\narg_patterns = { a = 'x)|(?:y' }", Format::Toml);
    refused("[tools.t]\narg_patterns = { a = '(?x)y # z' }", Format::Toml);
    refused("[tools.t]\narg_patterns = { a = '((a{900}){900}){900}' }", Format::Toml);
    let either = toml("[tools.t]\narg_patterns = { a = 'x|y' }");
    let pattern = &of(&either, "t")[0].arg_patterns[0].1;
    assert!(pattern.is_match("y") && !pattern.is_match("yz") && !pattern.is_match("zx"));
    let many = toml("[tools.t]\narg_patterns = { a = '(?m)^x$' }");
    assert!(!of(&many, "t")[0].arg_patterns[0].1.is_match("x\ny"));
}

#[test]
fn broken_syntax_is_shown_with_its_place() {
    let (text, places) = refused("[tools.a]\nmax_calls = = 1\n", Format::Toml);
    assert_eq!(places[0].0, 2, "{text}");
    assert!(text.contains("not valid TOML") && text.contains("p.file:2:"), "{text}");
    let (text, places) = refused("a:\n  max_calls: 1\n bad: [\n", Format::OlderYaml);
    assert!(text.contains("not valid YAML"), "{text}");
    assert!(places[0].0 >= 3, "{text}");
    // Columns count characters, not bytes.
    assert_eq!(refused("[tools.\"\u{e4}\u{e4}\"]\nexfiltrating = 1", Format::Toml).1, [(2, 16)]);
    assert_eq!(refused("\u{e4}\u{e4}: {exfiltrating: 1}", Format::OlderYaml).1, [(1, 20)]);
    // All problems in one go, in the order of the file.
    let (_, places) =
        refused("[tools.a]\nx9 = 1\nmax_calls = -1\n[tools.b]\nexfiltrating = 2\n", Format::Toml);
    assert_eq!(places.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3, 5]);
}

#[test]
fn duplicate_keys_are_refused() {
    for text in [
        "[tools.a]\n[tools.a]\n",
        "[tools.a]\nmax_calls = 1\nmax_calls = 9\n",
        "[tools.\"s/a\"]\n[servers.s.tools.a]\n",
        "tools = { a = {}, a = {} }",
    ] {
        refused(text, Format::Toml);
    }
    for text in ["a: {}\na: {}\n", "a: {max_calls: 1, max_calls: 9}\n", "a: {}\n\"a\": {}\n"] {
        assert!(refused(text, Format::OlderYaml).0.contains("written twice"), "{text}");
    }
}

#[test]
fn a_server_can_be_named() {
    let policy = toml(
        "[tools.send]\nmax_calls = 9\nexfiltrating = true\n[tools.\"mail/send\"]\nmax_calls = 1\n\
         [servers.chat.tools.send]\nmax_calls = 2\n",
    );
    let calls = |server: &str| -> Vec<u64> {
        policy.stated(server, "send").iter().filter_map(|stated| stated.contract.max_calls).collect()
    };
    assert_eq!((calls("mail"), calls("chat"), calls("x")), (vec![1], vec![2], vec![9]));
    assert_eq!(policy.stated("mail", "send").len(), 2);
    // Another server's tool cannot call itself into what was said of `send` on `mail`.
    assert!(policy.stated("x", "mail/send").is_empty());
    // The older format has no servers: there a slash is part of the tool's name.
    assert_eq!(yaml("mail/send: {max_calls: 1}").stated("x", "mail/send").len(), 1);
    for text in ["[tools.\"/a\"]", "[tools.\"a/\"]", "[tools.\"\"]", "[servers.\"\".tools.a]"] {
        assert!(refused(text, Format::Toml).0.contains("names no tool"), "{text}");
    }
}

#[test]
fn prefixes_are_made_absolute() {
    let home = std::env::home_dir().unwrap();
    let prefixes = |list: &str| {
        let policy = toml(&format!("[tools.t]\nallowed_path_prefixes = {list}"));
        of(&policy, "t")[0].allowed_path_prefixes.clone()
    };
    let is = |list: &str, path: &str| assert_eq!(prefixes(list).unwrap(), [path], "{list}");
    is("['out']", "/home/ann/rules/out");
    is("['./out/']", "/home/ann/rules/out");
    is("['../b']", "/home/ann/b");
    is("['/a/./b/../c']", "/a/c");
    is("['/../../a']", "/a");
    is("['~']", home.to_str().unwrap());
    is("['~/x']", home.join("x").to_str().unwrap());
    is("['~x']", "/home/ann/rules/~x");
    assert_eq!(prefixes("[]"), None);
    assert_eq!(of(&yaml("t: {allowed_path_prefixes: []}"), "t")[0].allowed_path_prefixes, None);
    // An empty string would be the whole folder, or the whole disk to some readers.
    assert!(refused("[tools.t]\nallowed_path_prefixes = ['']", Format::Toml).0.contains("empty path"));
    assert!(refused("[tools.t]\nallowed_path_prefixes = [' ']", Format::Toml).0.contains("empty path"));
}

#[test]
fn numbers() {
    let calls = |policy: &Policy| of(policy, "t")[0].max_calls;
    assert_eq!(calls(&toml("[tools.t]\nmax_calls = 0")), Some(0));
    assert_eq!(calls(&yaml("t: {max_calls: 0}")), Some(0));
    assert_eq!(calls(&toml("[tools.t]\nmax_calls = 0x10")), Some(16));
    assert_eq!(calls(&toml("[tools.t]\nmax_calls = 18446744073709551615")), Some(u64::MAX));
    // What does not fit must not become "no budget".
    for number in ["18446744073709551616", "99999999999999999999999999", "9".repeat(60).as_str()] {
        refused(&format!("[tools.t]\nmax_calls = {number}"), Format::Toml);
        refused(&format!("t: {{max_calls: {number}}}"), Format::OlderYaml);
    }
    for number in ["-1", "1.0", "1e3", "nan", "inf", "'3'"] {
        refused(&format!("[tools.t]\nmax_calls = {number}"), Format::Toml);
    }
    // The older reader took `010` for eight, and these for numbers or something else again.
    for number in ["010", "0x10", "1_000", "1:30", ".inf", "'3'", "1.0", "0o7"] {
        refused(&format!("t: {{max_calls: {number}}}"), Format::OlderYaml);
    }
}

#[test]
fn marks_of_the_byte_order_and_line_ends_change_nothing() {
    for (text, format) in [(SAME, Format::Toml), (OLDER, Format::OlderYaml)] {
        let plain = parse(text, format).unwrap();
        for odd in [format!("\u{feff}{text}"), text.replace('\n', "\r\n")] {
            let read = parse(&odd, format).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(meaning(&read, "write_file"), meaning(&plain, "write_file"));
            let lines = |policy: &Policy| {
                policy.stated("s", "write_file").into_iter().map(|s| s.said.place).collect::<Vec<_>>()
            };
            assert_eq!(lines(&read), lines(&plain));
        }
    }
    assert_eq!(refused("\u{feff}t: {exfiltrating: 1}", Format::OlderYaml).1[0].0, 1);
}

#[test]
fn files_that_would_burst_are_refused() {
    let mut bomb = String::from("a: &a [x, x, x, x, x, x, x, x, x, x]\n");
    for (name, before) in ('b'..='z').zip('a'..) {
        bomb.push_str(&format!("{name}: &{name} [{}]\n", [format!("*{before}").as_str(); 10].join(", ")));
    }
    assert!(refused(&bomb, Format::OlderYaml).0.contains("too many values"));
    assert!(refused("a: &a {b: *a}\n", Format::OlderYaml).0.contains("alias"));
    let deep = |open: &str, close: &str, times: usize| open.repeat(times) + &close.repeat(times);
    refused(&format!("a: {}", deep("[", "]", 5_000)), Format::OlderYaml);
    refused(&format!("a: {}", deep("{b: ", "}", 5_000)), Format::OlderYaml);
    refused(&format!("tools = {}", deep("[", "]", 5_000)), Format::Toml);
    refused(&format!("a{} = 1", ".a".repeat(5_000)), Format::Toml);
    let wide: String = (0..30_000).map(|n| format!("[tools.a{n}]\nx = 1\n")).collect();
    let (drawn, places) = refused(&wide, Format::Toml);
    assert_eq!(places.len(), 30_000);
    assert!(drawn.ends_with("and 29980 more problems") && drawn.len() < 20_000);
    let large = parse(&" ".repeat((1 << 20) + 1), Format::Toml);
    assert!(matches!(large, Err(PolicyError::TooLarge { .. })));
    for text in
        ["a: 1\n---\nb: 1\n", "a: !!python/object:os.system {}\n", "? [a]\n: b\n", "<<: {max_calls: 1}\n"]
    {
        refused(text, Format::OlderYaml);
    }
    // Aliases as people use them are fine.
    let shared = yaml("a: &p {max_calls: 2}\nb: *p\n");
    assert_eq!(of(&shared, "b")[0].max_calls, Some(2));
}

#[test]
fn text_of_the_file_cannot_steer_the_terminal() {
    for (text, format) in [
        ("[tools.\"a\\u001b]0;x\\u0007\"]\nfoo = 1", Format::Toml),
        ("[tools.t]\nprofile = \"\\u001b[31m\"\n\"\\u001bk\" = 1", Format::Toml),
        ("[tools.t]\ntrusted_destinations = [\"*\\u001b[2J\"]", Format::Toml),
        ("[tools.t]\narg_patterns = { \"\\u001b[2J\" = '(' }", Format::Toml),
        ("\"a\\e]0;x\": {foo: 1}", Format::OlderYaml),
    ] {
        let (drawn, _) = refused(text, format);
        assert!(!drawn.chars().any(|c| c.is_control() && c != '\n'), "{drawn:?}");
    }
}

#[test]
fn a_file_of_a_project_only_tightens() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bouncer.toml");
    std::fs::write(
        &path,
        "trusted_destinations = ['*@evil.org']\n[tools.t]\nmax_calls = 5\n[tools.\"s/t\"]\nmax_calls = 9\nreplace = true\n",
    )
    .unwrap();
    let project = Policy::load_project(&path).unwrap();
    assert_eq!(project.origin(), Origin::Project);
    let stated = project.stated("s", "t");
    assert!(stated.iter().all(|stated| !stated.may_loosen));
    // Both budgets stand: the narrower table cannot lift the wider one.
    let calls: Vec<u64> = stated.iter().filter_map(|stated| stated.contract.max_calls).collect();
    assert_eq!(calls, [9, 5]);
    assert!(Policy::load(&path).unwrap().stated("s", "t").iter().all(|stated| stated.may_loosen));
    std::fs::write(&path, "[[modules]]\npath = 'x.wasm'\n").unwrap();
    assert!(Policy::load_project(&path).unwrap_err().to_string().contains("cannot add modules"));
    assert_eq!(Policy::load(&path).unwrap().modules(), [folder.path().join("x.wasm")]);
    std::fs::write(
        &path,
        "[pack_keys]\n\"*\" = \"RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3\"\n",
    )
    .unwrap();
    assert!(Policy::load_project(&path).unwrap_err().to_string().contains("whose packs are taken"));
    assert!(Policy::load(&path).unwrap().pack_key("any").is_some());
}

#[test]
fn loading_resolves_against_the_files_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("older.yml");
    std::fs::write(&path, "t: {allowed_path_prefixes: [out]}\n").unwrap();
    let policy = Policy::load(&path).unwrap();
    let out = folder.path().join("out").to_str().unwrap().to_owned();
    assert_eq!(of(&policy, "t")[0].allowed_path_prefixes.as_deref().unwrap(), [out]);
    let missing = Policy::load(&folder.path().join("none.toml")).unwrap_err().to_string();
    assert!(missing.contains("none.toml") && missing.contains("bouncer policy example"), "{missing}");
    std::fs::write(&path, b"t: \xff\n").unwrap();
    assert!(Policy::load(&path).unwrap_err().to_string().contains("UTF-8"));
    assert!(Policy::load(folder.path()).is_err());
}

#[test]
fn the_format_is_told_by_name_then_by_shape() {
    let is = |name: &str, text: &str| Format::of(Path::new(name), text);
    assert_eq!(is("a.YAML", "[tools.a]"), Format::OlderYaml);
    assert_eq!(is("a.toml", "a: b"), Format::Toml);
    assert_eq!(is("a", "# c\n\nsend: {}\n"), Format::OlderYaml);
    assert_eq!(is("a", "---\n"), Format::OlderYaml);
    assert_eq!(is("a", "\u{feff}[tools.a]\n"), Format::Toml);
    assert_eq!(is("a", "trusted_destinations = ['https://x']\n"), Format::Toml);
    assert_eq!(is("a", ""), Format::Toml);
}

#[test]
fn modules_and_packs_have_settings() {
    let policy = toml(
        "[packs.slack]\nteam = 'x'\nn = 1\n[[modules]]\npath = 'a.wasm'\nsettings = { day = 'fri' }\n[[modules]]\npath = '/b.wasm'\n",
    );
    assert_eq!(policy.settings("slack"), r#"{"team":"x","n":1}"#);
    assert_eq!(policy.settings("gmail"), "{}");
    let modules = policy.modules();
    assert_eq!(modules, [Path::new("/home/ann/rules/a.wasm"), Path::new("/b.wasm")]);
    assert_eq!(policy.module_settings(&modules[0]), r#"{"day":"fri"}"#);
    assert_eq!(policy.module_settings(&modules[1]), "{}");
    assert!(refused("[[modules]]\nsettings = {}\n", Format::Toml).0.contains("needs a `path`"));
    assert!(refused("[[modules]]\npath = ''\n", Format::Toml).0.contains("path"));
}

#[test]
fn destinations_that_can_be_fooled_and_sinks_without_arguments_are_refused() {
    for entry in ["*", "", "**", "*.com*"] {
        refused(&format!("trusted_destinations = ['{entry}']"), Format::Toml);
        refused(&format!("t: {{trusted_destinations: ['{entry}']}}"), Format::OlderYaml);
    }
    assert!(refused("[tools.t]\nsinks = [{}]", Format::Toml).0.contains("names no argument"));
    let (text, _) = refused("[tools.t]\nsinks = [{ param = 'a', kind = 'emial' }]", Format::Toml);
    assert!(text.contains("did you mean `email`?"), "{text}");
}

#[test]
fn the_example_is_a_policy_and_each_of_its_comments_would_be_too() {
    let policy = toml(EXAMPLE);
    assert!(policy.tools().count() >= 4);
    let opened: String = EXAMPLE
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(rest) if rest.starts_with('[') || rest.split(' ').nth(1) == Some("=") => format!("{rest}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    assert_eq!(toml(&opened).modules().len(), 1);
}

#[test]
fn the_schema_lists_exactly_the_keys() {
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
    let defs = &schema["$defs"];
    for (object, keys) in [
        (&schema, TOP_KEYS),
        (&defs["tool"], TOOL_KEYS),
        (&defs["server"], SERVER_KEYS),
        (&defs["module"], MODULE_KEYS),
        (&defs["sink"], SINK_KEYS),
    ] {
        let properties = object["properties"].as_object().unwrap();
        let mut listed: Vec<&str> = properties.keys().map(String::as_str).collect();
        let mut known: Vec<&str> = keys.iter().map(|spec| spec.name).collect();
        listed.sort_unstable();
        known.sort_unstable();
        assert_eq!(listed, known);
        assert_eq!(object["additionalProperties"], false);
        for spec in keys {
            if let Shape::Word(words) = spec.shape
                && !words.is_empty()
            {
                let named =
                    properties[spec.name].get("$ref").map_or(&properties[spec.name], |_| &defs["profile"]);
                let listed: Vec<&str> =
                    named["enum"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
                assert_eq!(listed, words, "{}", spec.name);
            }
        }
    }
    for kind in defs["sink"]["properties"]["kind"]["enum"].as_array().unwrap() {
        toml(&format!("[tools.t]\nsinks = [{{ param = 'a', kind = {kind} }}]"));
    }
}
