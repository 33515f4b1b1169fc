use super::*;
use bouncer_guest::testing::{call, json, server, tool};

fn judge(tool: &str, arguments: Value) -> Judgement {
    MailSenders::evaluate(&call(tool, arguments), &[], &()).unwrap()
}

fn codes(judgement: &Judgement) -> Vec<&str> {
    judgement.findings().iter().map(Finding::code).collect()
}

#[test]
fn the_step_that_fixes_the_receivers_is_judged() {
    let listed = [tool("preview_email", &["to", "cc"]), tool("send_email", &["confirm_token"])];
    let mut sendgrid = server("sendgrid-secure");
    sendgrid.command = vec!["uvx".into(), "sendgrid-mcp-secure".into()];
    let said = MailSenders::contracts(&sendgrid, &listed, &()).unwrap();
    assert_eq!(said[0].sink_params(), ["/to", "/cc", "/reply_to"]);
    assert_eq!(said[1].sink_params(), ["/confirm_token"]);
    assert!(said[0].wants_evaluate() && !said[1].wants_evaluate());
}

#[test]
fn receivers_are_read_out_of_every_mail_of_a_batch() {
    let emails = json!([{"to": ["Ann <a@x.io>"]}, {"to": "b@x.io", "subject": "s\nBcc: e@z.io"}]);
    let judgement = judge("send-batch-emails", json!({"emails": emails}));
    assert_eq!(codes(&judgement), ["header_injection"]);
    let found: Vec<_> =
        judgement.destinations().iter().map(|(value, _, at)| format!("{value} {at}")).collect();
    assert_eq!(found, ["a@x.io /emails/0/to/0", "b@x.io /emails/1/to"]);
}

#[test]
fn what_a_phone_call_does_inside_is_found() {
    let twiml = "<Response><Dial>+1 (202) 555-0143</Dial><Redirect>https://e.example/x</Redirect></Response>";
    let judgement = judge("TwilioApiV2010--CreateCall", json!({"To": "sip:a@e.example", "Twiml": twiml}));
    let found: Vec<_> =
        judgement.destinations().iter().map(|(value, kind, _)| (value.as_str(), *kind)).collect();
    assert_eq!(
        found,
        [
            ("https://e.example/x", Kind::Url),
            ("+1 (202) 555-0143", Kind::Phone),
            ("sip:a@e.example", Kind::Url)
        ]
    );
}

#[test]
fn hidden_files_and_replies_to_all_are_asked_about() {
    let attached = judge("send-email", json!({"attachments": [{"filePath": "/home/me/.ssh/id_rsa"}]}));
    assert_eq!(codes(&attached), ["hidden_attachment"]);
    let attached = judge("send_email", json!({"attachments": ["/home/me/a.pdf", "/home/me/.ssh/id_rsa"]}));
    assert_eq!(attached.findings()[0].argument(), "/attachments/1");
    assert_eq!(codes(&attached), ["hidden_attachment"]);
    let fetched = judge("send_email", json!({"attachments": ["https://e.example/a.pdf"]}));
    assert_eq!(fetched.destinations()[0].0, "https://e.example/a.pdf");
    assert_eq!(codes(&judge("reply_to_email", json!({"originalUid": 1, "replyToAll": true}))), ["reply_all"]);
    assert!(codes(&judge("reply_to_email", json!({"originalUid": 1, "replyToAll": false}))).is_empty());
    assert_eq!(codes(&judge("manage-events", json!({"action": "remove"}))), ["removed"]);
    assert!(codes(&judge("manage-events", json!({"action": "list"}))).is_empty());
}
