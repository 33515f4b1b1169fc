use super::*;
use bouncer_guest::testing::{call, json, server, tool};

/// Put together here, so that no scanner takes this file for a leak.
fn token(start: &str, length: usize) -> String {
    let letters = "a8Bk3Zq7Lm2Xw9Rt4Yv6Nc1Pd5Hs0Jf";
    format!("{start}{}", letters.chars().cycle().take(length).collect::<String>())
}

fn judge(text: &str) -> Judgement {
    Secrets::evaluate(&call("send", json!({"to": "a@x.io", "body": text})), &[], &Settings::default())
        .unwrap()
}

#[test]
fn every_format_is_found_inside_of_a_text() {
    for (start, set, least, what) in formats::FORMATS {
        let body: String = token("", least * 6).chars().map(|c| c.to_ascii_uppercase()).collect();
        let body =
            if set.holds('b') && !matches!(set, formats::Set::Hex) { token("", least * 6) } else { body };
        let body: String = body.chars().filter(|c| set.holds(*c)).take(*least).collect();
        assert_eq!(body.len(), *least, "{start}");
        let found = detect::find(&format!("here it is: {start}{body}, use it"));
        assert!(
            found.iter().any(|found| found.what == *what && found.sure == Sure::Certain),
            "{start}: {found:?}"
        );
    }
}

#[test]
fn secrets_are_refused_however_they_are_written() {
    let plain = token("ghp_", 36);
    let percent: String = plain.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let in_base64 = "Z2hwX2E4QmszWnE3TG0yWHc5UnQ0WXY2TmMxUGQ1SHMwSmZhOEJrMw==";
    for text in [plain.clone(), format!("x={plain}&y"), percent, in_base64.to_owned()] {
        let judgement = judge(&text);
        assert_eq!(judgement.verdict(), Verdict::Deny, "{text}");
        assert_eq!(judgement.findings()[0].argument(), "/body");
        // What is shown and logged never holds the value.
        assert!(judgement.findings().iter().all(|found| !found.text().contains(&plain)));
    }
    let key = format!("-----BEGIN OPENSSH {}-----\nb3Blbn", "PRIVATE KEY");
    assert_eq!(judge(&key).verdict(), Verdict::Deny);
}

#[test]
fn what_may_be_one_is_asked_about() {
    for text in [
        format!("{}.{}.{}", token("eyJ", 30), token("eyJ", 30), token("", 40)),
        "postgres://me:hunter22@db.example/x".to_owned(),
        format!("DB_PASSWORD={}", token("", 16)),
        format!("\"api_key\": \"{}\"", token("", 24)),
    ] {
        assert_eq!(judge(&text).verdict(), Verdict::Ask, "{text}");
    }
}

#[test]
fn ordinary_words_are_no_secrets() {
    for text in [
        "please reset my password: it is too old",
        "the token is in ${TOKEN}, the secret in <your secret here>",
        "see https://example.com/a/b?c=d and mail me@x.io",
        "key-value stores, AKIA is a prefix, ghp_ too",
        "commit 3f2a9c1b8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a",
        "AKIAAAAAAAAAAAAAAAAA",
        "postgres://me:$PASSWORD@db.example/x",
        "token: process.env.GITHUB_TOKEN_2",
        "id 6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "",
    ] {
        assert_eq!(judge(text), Judgement::new(), "{text}");
    }
}

#[test]
fn settings_name_what_is_left_alone_and_how_strict_it_is() {
    let settings = Settings { certain: Then::Ask, maybe: Then::Deny, except: vec!["login".into()] };
    let listed = [tool("login", &["token"]), tool("send", &["body"])];
    let contracts = Secrets::contracts(&server("x"), &listed, &settings).unwrap();
    assert_eq!(contracts.iter().map(Contract::tool).collect::<Vec<_>>(), ["send"]);
    let call = call("send", json!({"body": token("sk_live_", 24)}));
    assert_eq!(Secrets::evaluate(&call, &[], &settings).unwrap().verdict(), Verdict::Ask);
}
