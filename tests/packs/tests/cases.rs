//! Every pack's `cases.toml`, natively and as Wasm: both must say what the case says.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod common;

use bouncer::pack::builtin;
use bouncer::sandbox::Sandbox;
use bouncer_core::decide::ModuleOutcome;
use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::value::Value;
use common::{natively, run};

#[test]
fn every_case_holds_natively_and_as_wasm() {
    for pack in builtin(&Sandbox::new(None).unwrap()).unwrap() {
        let native = match pack.manifest.name.as_str() {
            "filesystem" => natively::<bouncer_pack_filesystem::Filesystem>,
            "gdrive" => natively::<bouncer_pack_gdrive::Drive>,
            "github" => natively::<bouncer_pack_github::GitHub>,
            "gmail" => natively::<bouncer_pack_gmail::Gmail>,
            "slack" => natively::<bouncer_pack_slack::Slack>,
            "boards" => natively::<bouncer_pack_boards::Boards>,
            "browsers" => natively::<bouncer_pack_browsers::Browsers>,
            "chat" => natively::<bouncer_pack_chat::Chat>,
            "databases" => natively::<bouncer_pack_databases::Databases>,
            "google-workspace" => natively::<bouncer_pack_google_workspace::Workspace>,
            "mail-senders" => natively::<bouncer_pack_mail_senders::MailSenders>,
            "microsoft-365" => natively::<bouncer_pack_microsoft_365::Graph>,
            "notion" => natively::<bouncer_pack_notion::Notion>,
            "payments" => natively::<bouncer_pack_payments::Payments>,
            "shells" => natively::<bouncer_pack_shells::Shells>,
            "trackers" => natively::<bouncer_pack_trackers::Trackers>,
            "web" => natively::<bouncer_pack_web::Web>,
            other => panic!("no native policy for `{other}`"),
        };
        let path = bouncer_pack_tests::folder(&pack.manifest.name).join("cases.toml");
        run(&pack.module, &path, true, Some(native));
    }
}

fn send_email() -> Vec<Tool> {
    let definition = r#"{"name":"send_email","inputSchema":{"type":"object","properties":{"to":{"type":"array"},"cc":{},"bcc":{},"subject":{},"body":{}}}}"#;
    let read = r#"{"name":"read_email","inputSchema":{"type":"object","properties":{"messageId":{"type":"string"}}}}"#;
    [definition, read]
        .into_iter()
        .map(|text| Tool::from_definition(Value::parse(text.as_bytes(), 32).unwrap()).unwrap())
        .collect()
}

fn server(command: &[&str], reported_name: &str) -> ServerIdentity {
    ServerIdentity {
        name: "mail".into(),
        reported_name: reported_name.into(),
        reported_version: "1".into(),
        command: command.iter().map(|word| (*word).to_owned()).collect(),
    }
}

#[test]
fn a_pack_speaks_for_its_server_and_loosens_only_by_the_command() {
    let packs = builtin(&Sandbox::new(None).unwrap()).unwrap();
    let tools = send_email();
    let stated =
        |identity: &ServerIdentity| bouncer::pack::stated(&packs, identity, &tools, &|_| "{}".into());
    let own = stated(&server(&["npx", "-y", "@gongrzhe/server-gmail-autoauth-mcp"], "gmail"));
    let said = |tool: &str| &own.by_tool.get(tool).unwrap()[0];
    assert_eq!(said("send_email").contract.exfiltrating, Some(true));
    assert_eq!(said("send_email").contract.sinks.len(), 3);
    assert_eq!(said("read_email").contract.exfiltrating, Some(false));
    assert!(said("read_email").may_loosen && own.faults.is_empty());
    // A server that only calls itself so gets what tightens.
    let impostor = stated(&server(&["node", "evil.js"], "gmail"));
    assert_eq!(impostor.by_tool.get("send_email").unwrap()[0].contract.exfiltrating, Some(true));
    let read = &impostor.by_tool.get("read_email").unwrap()[0];
    assert_eq!((read.contract.exfiltrating, read.may_loosen), (None, false));
    // The same tool names on another server are another server's tools.
    assert!(stated(&server(&["npx", "other-mail"], "other")).by_tool.is_empty());
}

#[test]
fn a_pack_that_faults_denies_every_tool_of_its_server() {
    let packs = builtin(&Sandbox::new(None).unwrap()).unwrap();
    let tools = send_email();
    let identity = server(&["npx", "-y", "@gongrzhe/server-gmail-autoauth-mcp"], "gmail");
    let stated = bouncer::pack::stated(&packs, &identity, &tools, &|_| r#"{"no_such_setting": 1}"#.into());
    assert!(stated.faults.get("gmail").unwrap().contains("no_such_setting"));
    assert!(tools.iter().all(|tool| stated.by_tool.get(&tool.name).unwrap()[0].contract.evaluate));
    assert!(matches!(stated.failed("gmail"), Some(ModuleOutcome::Failed { .. })));
    assert!(stated.failed("slack").is_none());
}
