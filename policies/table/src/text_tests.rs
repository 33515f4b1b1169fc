use super::*;
use bouncer_guest::testing::{json, tool, tools};

const TABLE: &str = "\
server mcp-mail Mail   # its package, and what it calls itself
sends,evaluate send to=email cc=email text ~more/label   # a comment
quiet read id >path ^/people/*/id
sends,destroys,calls:2 push owner+repo=repository
says,keeps drag x
";

const OTHER: &str = "server other\nquiet send to text\n";

fn server(command: &[&str], reported: &str) -> Server {
    Server {
        name: "x".into(),
        reported_name: reported.into(),
        reported_version: String::new(),
        command: command.iter().map(|word| (*word).to_owned()).collect(),
    }
}

#[test]
fn a_line_becomes_a_contract() {
    let listed = [
        tool("send", &["to", "cc", "text", "more"]),
        tool("read", &["id", "path"]),
        tool("push", &["owner", "repo"]),
        tool("drag", &["x"]),
        tool("stranger", &[]),
    ];
    let said = contracts(&[OTHER, TABLE], &server(&["npx", "-y", "mcp-mail@1.2"], ""), &listed).unwrap();
    assert_eq!(said.iter().map(Contract::tool).collect::<Vec<_>>(), ["send", "read", "push", "drag"]);
    assert_eq!((said[0].is_exfiltrating(), said[0].wants_evaluate()), (Some(true), true));
    assert_eq!(said[0].sink_params(), ["/to", "/cc"]);
    assert_eq!(said[0].harmless_params(), ["/more/label"]);
    assert_eq!((said[1].is_exfiltrating(), said[1].write_params()), (Some(false), &["/path".to_owned()][..]));
    assert_eq!(said[1].directories(), ["/people/*/id"]);
    assert_eq!((said[2].sink_params(), said[2].is_destructive()), (vec!["/owner", "/repo"], Some(true)));
    assert_eq!((said[3].is_exfiltrating(), said[3].is_destructive()), (None, Some(false)));
}

#[test]
fn a_new_argument_or_an_odd_schema_takes_back_what_loosens() {
    let mail = server(&["mcp-mail"], "");
    let listed = [
        tool("send", &["to", "text", "webhook"]),
        tool("read", &["id", "webhook"]),
        tool("drag", &["x", "webhook"]),
    ];
    let said = contracts(&[TABLE], &mail, &listed).unwrap();
    assert_eq!((said[0].is_exfiltrating(), said[0].sink_params()), (Some(true), vec!["/to", "/cc"]));
    assert!(said[0].harmless_params().is_empty());
    assert_eq!((said[1].is_exfiltrating(), said[1].directories().len()), (None, 0));
    assert_eq!(said[2].is_destructive(), None);
    let odd =
        json!([{"name": "read", "inputSchema": {"properties": {"id": {}}, "anyOf": []}}, {"name": "read"}]);
    assert!(contracts(&[TABLE], &mail, &tools(&odd)).unwrap().iter().all(|c| c.is_exfiltrating().is_none()));
}

#[test]
fn the_table_that_names_the_server_counts() {
    let send = [tool("send", &["to", "text"])];
    let of = |command: &[&str], reported: &str| {
        contracts(&[OTHER, TABLE], &server(command, reported), &send).unwrap()[0].is_exfiltrating()
    };
    assert_eq!(of(&["npx", "mcp-mail"], ""), Some(true));
    assert_eq!(of(&["node", "/x/node_modules/mcp-mail/index.js"], ""), Some(true));
    assert_eq!(of(&["x"], "Mail"), Some(true));
    assert_eq!(of(&["uvx", "other==1"], ""), Some(false));
    // `another` is not `other`, and a server that no table names is not loosened.
    assert_eq!(of(&["uvx", "another", "others"], ""), None);
}

#[test]
fn what_is_no_line_is_an_error_with_its_number() {
    for text in ["server a\nmaybe x", "sends", "sends x to=mail", "sends,calls:x y"] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.starts_with("table, line "), "{error}");
    }
}
