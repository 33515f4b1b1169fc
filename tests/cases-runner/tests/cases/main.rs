//! Every case file, in ways that must agree: the judge in this process with the packs as Wasm, the same with the packs as
//! native code, the whole proxy over stdio, `bouncer serve`, and `bouncer check`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    unreachable_pub
)]
#![cfg(unix)]

mod asked;
mod case;
mod judge;
mod native;
mod proxy;
mod ruled;

use bouncer::pack::{Pack, builtin};
use bouncer::policy::Policy;
use bouncer::sandbox::Sandbox;
use case::Case;
use judge::As;
use ruled::Ruled;
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Cases {
    folder: tempfile::TempDir,
    cases: Vec<(Case, PathBuf)>,
    packs: Arc<Vec<Pack>>,
}

/// All cases with their policies on disk, and the packs.
fn prepared() -> Cases {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let settle = |(number, mut case): (usize, Case)| {
        let own = root.join(format!("policy {number}"));
        std::fs::create_dir(&own).unwrap();
        case.settle_in(&own);
        let policy = own.join("bouncer.toml");
        std::fs::write(&policy, &case.policy).unwrap();
        (case, policy)
    };
    let cases: Vec<_> = case::all().into_iter().enumerate().map(settle).collect();
    let packs = Arc::new(builtin(&Sandbox::new(None).unwrap()).unwrap());
    Cases { folder, cases, packs }
}

/// All failures at once: a broken rule shows in the company of those that broke with it.
fn none(failures: &[String], cases: usize) {
    assert!(failures.is_empty(), "{} of {cases} cases fail:\n\n{}", failures.len(), failures.join("\n\n"));
    eprintln!("{cases} cases hold");
}

#[test]
fn every_case_holds_with_packs_as_wasm_and_natively() {
    let Cases { folder: _kept, cases, packs } = prepared();
    let judge = |(case, policy): &(Case, PathBuf)| {
        let wasm = judge::judge(case, policy, &packs, As::Wasm, Path::new(""));
        let native = judge::judge(case, policy, &packs, As::Native, Path::new(""));
        let stated = judge::contracts_differ(case, &packs, &Policy::load(policy).unwrap());
        let differ = (wasm != native).then(|| format!("Wasm and native differ:\n{wasm:?}\n{native:?}"));
        let wrong = wasm.differs(&case.expect).or(differ).or(stated)?;
        Some(format!("{}\n  {wrong}", case.title))
    };
    none(&cases.iter().filter_map(judge).collect::<Vec<_>>(), cases.len());
}

#[test]
fn every_case_holds_through_the_proxy() {
    let Cases { folder, cases, packs } = prepared();
    let stage = proxy::Stage::new(&folder.path().canonicalize().unwrap());
    let play = |(case, policy): &(Case, PathBuf)| {
        let wrong = through_the_proxy(&stage, case, policy, &packs)?;
        Some(format!("{}\n  {wrong}", case.title))
    };
    none(&cases.iter().filter_map(play).collect::<Vec<_>>(), cases.len());
}

fn through_the_proxy(
    stage: &proxy::Stage,
    case: &Case,
    policy: &Path,
    packs: &Arc<Vec<Pack>>,
) -> Option<String> {
    // A proxy's packs go by the server's identity and cannot be switched off.
    if !case.packs && packs.iter().any(|pack| pack.manifest.is_for(&case.identity)) {
        eprintln!("skipped through the proxy, since its server has a pack: {}", case.title);
        return None;
    }
    let proxied = match stage.play(case, policy) {
        Ok(proxied) => proxied,
        Err(why) => return Some(why),
    };
    let judged = judge::judge(case, policy, packs, As::Wasm, &stage.work());
    let mut expect = case.expect.clone();
    if expect.code.as_deref() == Some("unresolved_path") {
        // A running server has a working directory, so that a relative path leads somewhere, and is outside there.
        eprintln!("through the proxy a relative path is resolved: {}", case.title);
        expect.code = None;
    }
    let word = |ruled: &Ruled| (ruled.verdict.clone(), ruled.contract.clone(), ruled.questions);
    let same = word(&proxied) == word(&judged) && comparable(&proxied) == comparable(&judged);
    let differ = (!same).then(|| format!("proxy and judge differ:\n{proxied:?}\n{judged:?}"));
    proxied.differs(&expect).or(differ)
}

#[test]
fn every_case_is_answered_by_serve_and_check_as_it_is_judged() {
    let Cases { folder, cases, packs } = prepared();
    let mut asker = asked::Asker::new(&folder.path().canonicalize().unwrap());
    let mut failures = Vec::new();
    for (case, policy) in &cases {
        if !case.packs && packs.iter().any(|pack| pack.manifest.is_for(&case.identity)) {
            eprintln!("skipped, since its server has a pack: {}", case.title);
            continue;
        }
        if let Some(wrong) = asked_about(&mut asker, case, policy, &packs) {
            failures.push(format!("{}\n  {wrong}", case.title));
        }
    }
    none(&failures, cases.len());
}

fn asked_about(
    asker: &mut asked::Asker,
    case: &Case,
    policy: &Path,
    packs: &Arc<Vec<Pack>>,
) -> Option<String> {
    let answered = match asker.ask(case, policy) {
        Ok(answered) => answered,
        Err(why) => return Some(why),
    };
    let judged = judge::judge(case, policy, packs, As::Wasm, asker.work());
    let mut expect = case.expect.clone();
    if expect.code.as_deref() == Some("unresolved_path") {
        expect.code = None;
    }
    let same = answered.verdict == judged.verdict
        && answered.contract == judged.contract
        && answered.questions == judged.questions
        && answered.reason.replace("policy:", "bouncer.toml:") == judged.reason
        && answered.findings == judged.findings;
    let differ = (!same).then(|| format!("answer and judge differ:\n{answered:?}\n{judged:?}"));
    answered.differs(&expect).or(differ)
}

/// The reason without the numbers of answers: a proxy hears a server's greeting and tool list as well.
fn comparable(ruled: &Ruled) -> (String, Vec<[String; 3]>) {
    let number = regex::Regex::new(r"\b(answer|call|output) #?\d+").unwrap();
    (number.replace_all(&ruled.reason, "$1 N").into_owned(), ruled.findings.clone())
}
