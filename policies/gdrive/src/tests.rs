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
