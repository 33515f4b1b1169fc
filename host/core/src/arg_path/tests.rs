use super::*;

fn value() -> Value {
    let text = r#"{"to":["a","b"],"cc":"c","files":[{"path":"p","n":1},{"path":["q"]}],"env":{"K/1":"v","~":"w"},
                   "a.b":"flat","a":{"b":"nested","b.c":"x","":0},"none":[],"null":null}"#;
    Value::parse(text.as_bytes(), 9).unwrap()
}

fn path(text: &str) -> ArgPath {
    ArgPath::parse(text).unwrap()
}

fn places(text: &str) -> Vec<String> {
    let value = value();
    path(text)
        .select(&value)
        .into_iter()
        .map(|(pointer, v)| {
            assert_eq!(value.pointer(&pointer), Some(v));
            assert!(path(text).covers(&pointer), "{text} covers {pointer}");
            pointer
        })
        .collect()
}

#[test]
fn pointers_name_places() {
    assert_eq!(places("/to"), ["/to"]);
    assert_eq!(places("/to/*"), ["/to/0", "/to/1"]);
    assert_eq!(places("/to/1"), ["/to/1"]);
    assert_eq!(places("/cc/*"), ["/cc"], "one string where a list is due");
    assert_eq!(places("/none/*"), Vec::<String>::new());
    assert_eq!(places("/files/*/path"), ["/files/0/path", "/files/1/path"]);
    assert_eq!(places("/files/{}"), Vec::<String>::new());
    assert_eq!(places("/env/{}"), ["/env/K~11", "/env/~0"]);
    assert_eq!(places("/env/K~11"), ["/env/K~11"]);
    assert_eq!(places("/absent"), Vec::<String>::new());
}

#[test]
fn plain_names_are_read_both_ways() {
    assert_eq!(places("to"), ["/to"]);
    assert_eq!(places("a.b"), ["/a.b", "/a/b"]);
    assert_eq!(places("a.b.c"), ["/a/b.c"]);
    assert_eq!(places("files.*.path"), ["/files/0/path", "/files/1/path"]);
    assert_eq!(places("K/1"), Vec::<String>::new());
    let many = path("a.b.c.d.e.f.g.h");
    assert!(many.covers("/a.b.c.d.e.f.g.h") && many.covers("/a/b/c/d/e/f/g/h"));
}

#[test]
fn leaves_are_scalars_with_pointers() {
    let value = value();
    let inside: Vec<String> = path("/files").select_leaves(&value).into_iter().map(|(p, _)| p).collect();
    assert_eq!(inside, ["/files/0/path", "/files/0/n", "/files/1/path/0"]);
    let all = leaves(&value);
    assert!(all.iter().all(|(p, v)| value.pointer(p) == Some(v)));
    assert_eq!(all.len(), 13);
    assert!(all.iter().any(|(p, _)| p == "/null"));
    assert_eq!(leaves(&Value::Null), vec![(String::new(), &Value::Null)]);
}

#[test]
fn a_path_covers_what_is_inside() {
    assert!(path("/to").covers("/to") && path("/to").covers("/to/0") && path("to").covers("/to/0/x"));
    assert!(!path("/to").covers("/tox") && !path("/to").covers("") && !path("/to").covers("to"));
    assert!(path("/files/*/path").covers("/files/12/path/0"));
    for outside in ["/files", "/files/0", "/files/0/n", "/files/x/path", "/files/01/path"] {
        assert!(!path("/files/*/path").covers(outside), "{outside}");
    }
    assert!(path("/to/*").covers("/to") && !path("/to/*").covers("/to/x"));
    assert!(path("/env/{}").covers("/env/any/deeper") && !path("/env/{}").covers("/env"));
    assert!(path("a.b").covers("/a.b") && path("a.b").covers("/a/b/0") && !path("a.b").covers("/a"));
    assert!(!path("/*").covers(""), "never the whole");
}

#[test]
fn bad_paths_are_refused() {
    for bad in ["", "/", "//", "/a/", "/a//b", "/a~", "/a~2", "/~01~", " a", "a ", "a\nb", "/a\u{0}"] {
        let error = ArgPath::parse(bad).unwrap_err();
        assert!(error.starts_with("bad argument path `"), "{error}");
    }
}
