//! Honest and hostile modules against the sandbox: what comes of each, and that the next call goes on.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

use bouncer::sandbox::{Evaluation, Fault, LoadError, Module, Sandbox, component, imports};
use bouncer_core::decide::ModuleOutcome;
use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::value::Value;
use bouncer_core::verdict::Verdict;
use bouncer_sandbox_tests::{component_from_wat, core_module};
use std::fs;
use std::sync::OnceLock;

fn sandbox() -> &'static Sandbox {
    static SANDBOX: OnceLock<Sandbox> = OnceLock::new();
    SANDBOX.get_or_init(|| Sandbox::new(None).unwrap())
}

fn misbehaving_component() -> &'static [u8] {
    static COMPONENT: OnceLock<Vec<u8>> = OnceLock::new();
    COMPONENT.get_or_init(|| {
        component::from_core_module(bouncer_artifacts::core_module("misbehaving").unwrap()).unwrap()
    })
}

fn misbehaving() -> Module {
    static MODULE: OnceLock<Module> = OnceLock::new();
    MODULE.get_or_init(|| sandbox().load("misbehaving", misbehaving_component()).unwrap()).clone()
}

fn judge(module: &Module, tool: &str) -> ModuleOutcome {
    module.evaluate(&Evaluation {
        server: "mail",
        tool,
        arguments_json: r#"{"to":"bob@x.io"}"#,
        settings_json: "{}",
        destinations: &[],
    })
}

fn tool(name: &str) -> Tool {
    Tool {
        name: name.to_owned(),
        definition: Value::Object(vec![("name".to_owned(), Value::String(name.to_owned()))]),
    }
}

fn contracts(settings: &str) -> Result<usize, Fault> {
    misbehaving()
        .contracts(&ServerIdentity::default(), &[tool("send_email")], settings)
        .map(|stated| stated.len())
}

/// The call failed with this reason, and the next one of the same module goes on.
#[track_caller]
fn fails(module: &Module, tool: &str, expected: &str) {
    match judge(module, tool) {
        ModuleOutcome::Failed { pack, reason } => {
            assert_eq!(pack, module.name());
            assert!(reason.contains(expected), "`{tool}`: {reason}");
            assert!(reason.len() < 1200, "{} bytes of reason", reason.len());
        }
        ModuleOutcome::Answered { findings, .. } => panic!("`{tool}` answered {findings:?}"),
    }
    assert!(
        matches!(judge(&misbehaving(), "fine"), ModuleOutcome::Answered { .. }),
        "the next call must go on"
    );
}

#[test]
fn what_runs_away_or_traps_is_stopped_and_named() {
    let module = misbehaving();
    fails(&module, "loop", "used up its fuel");
    fails(&module, "memory", "wanted more than its 64 MiB of memory");
    fails(&module, "stack", "overflowed its stack");
    fails(&module, "trap", "panicked");
    fails(&module, "error", "answered with an error: xxx");
}

#[test]
fn answers_are_measured_before_they_are_believed() {
    let module = misbehaving();
    fails(&module, "many_findings", "returned 101 findings, more than 100");
    fails(&module, "many_destinations", "returned 1001 destinations, more than 1000");
    fails(&module, "huge_destination", "bytes of one destination");
}

#[test]
fn a_huge_reason_is_cut_and_cannot_forge_lines() {
    let ModuleOutcome::Answered { findings, .. } = judge(&misbehaving(), "huge_reason") else {
        panic!("failed")
    };
    assert_eq!(findings[0].verdict, Verdict::Deny);
    assert!(findings[0].text.len() <= 1000 && findings[0].text.len() > 900);
    assert!(!findings[0].text.contains(['\n', '\u{202e}']));
    let ModuleOutcome::Answered { findings, .. } = judge(&misbehaving(), "odd_code") else {
        panic!("failed")
    };
    assert_eq!(findings[0].code, "_rop__able_");
}

#[test]
fn a_text_that_poses_as_somebody_else_is_plain_words() {
    let ModuleOutcome::Answered { findings, pack, .. } = judge(&misbehaving(), "forge") else {
        panic!("failed")
    };
    // Who says it is the host's word; what could move the cursor or the line is gone.
    assert_eq!((pack.as_str(), findings[0].code.as_str()), ("misbehaving", "gmail"));
    assert!(!findings[0].text.contains(['\u{1b}', '\u{2028}']), "{:?}", findings[0].text);
}

#[test]
fn a_lying_pass_is_only_an_allow_that_outvotes_nobody() {
    let ModuleOutcome::Answered { findings, destinations, .. } = judge(&misbehaving(), "liar") else {
        panic!("failed")
    };
    assert_eq!(findings[0].verdict, Verdict::Allow);
    assert!(destinations.is_empty());
}

#[test]
fn no_state_survives_a_call() {
    let module = misbehaving();
    for round in 0..6 {
        if round % 2 == 0 {
            module.prepare();
        }
        let ModuleOutcome::Answered { findings, .. } = judge(&module, "state") else { panic!("failed") };
        assert_eq!(findings[0].text, "0", "round {round}");
    }
}

/// Whatever a module hides, and however its calls end, the next one finds nothing of it.
#[test]
fn nothing_that_a_module_hides_is_there_in_the_next_call() {
    let module = misbehaving();
    let kept = || {
        let ModuleOutcome::Answered { findings, .. } = judge(&module, "keep") else { panic!("failed") };
        findings[0].text.clone()
    };
    let first = kept();
    assert!(first.starts_with("calls 0, ") && first.contains("marks 0 of "), "{first}");
    for between in ["keep", "trap", "stack", "loop", "memory", "error", "many_destinations", "fine"] {
        for prepared in [false, true] {
            judge(&module, between);
            if prepared {
                module.prepare();
            }
            assert_eq!(kept(), first, "after `{between}`");
        }
    }
}

#[test]
fn what_a_call_wrote_is_gone_for_the_next_wherever_it_stood() {
    // In the memory that it began with and in what it grew by: whoever finds a trace traps. The last page is written too.
    let find = "(if (i32.load (i32.const 200000)) (then unreachable))
        (i32.store (i32.const 200000) (i32.const 7))
        (i32.store8 (i32.const 262143) (i32.const 7))
        (drop (memory.grow (i32.const 3)))
        (if (i32.load (i32.const 400000)) (then unreachable))
        (if (i32.load8_u (i32.const 262144)) (then unreachable))
        (memory.fill (i32.const 262144) (i32.const 255) (i32.const 196608))
        (i32.const 64)";
    let small = sandbox().load("small", &component_from_wat(&core_module(find, 4, ""))).unwrap();
    // A memory of another size, which may get the first one's.
    let large = "(if (i32.load (i32.const 400000)) (then unreachable)) (i32.store (i32.const 400000) (i32.const 9)) (i32.const 64)";
    let large = sandbox().load("large", &component_from_wat(&core_module(large, 7, ""))).unwrap();
    for round in 0..8 {
        for module in [&small, &large] {
            let outcome = judge(module, "x");
            assert!(matches!(outcome, ModuleOutcome::Answered { .. }), "round {round}: {outcome:?}");
            if round % 2 == 0 {
                module.prepare();
            }
        }
    }
}

#[test]
fn a_memory_ends_where_it_ends() {
    for at in ["65532", "65536", "1000000", "-4"] {
        let evaluate = format!("(i32.store (i32.const {at}) (i32.const 1)) (i32.const 64)");
        let module = sandbox().load("edge", &component_from_wat(&core_module(&evaluate, 1, ""))).unwrap();
        match judge(&module, "x") {
            ModuleOutcome::Answered { .. } => assert_eq!(at, "65532"),
            ModuleOutcome::Failed { reason, .. } => {
                assert!(at != "65532" && reason.contains("outside of its memory"), "{at}: {reason}");
            }
        }
    }
}

#[test]
fn calls_from_several_threads_run_side_by_side() {
    let module = misbehaving();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let ModuleOutcome::Answered { findings, .. } = judge(&module, "state") else {
                        panic!("failed")
                    };
                    assert_eq!(findings[0].text, "0");
                    module.prepare();
                }
            });
        }
    });
}

#[test]
fn contracts_for_strangers_tools_and_bad_patterns_are_faults() {
    assert_eq!(contracts("{}").unwrap(), 1);
    assert_eq!(contracts(r#"{"claim":"send_email"}"#).unwrap(), 1);
    let fault = contracts(r#"{"claim":"delete_all"}"#).unwrap_err();
    assert_eq!(fault.pack, "misbehaving");
    assert!(fault.reason.contains("`delete_all`, which is no tool of the server"), "{fault}");
    for pattern in ["(", "a)|(b", "(?:a{1000}){1000}"] {
        let fault = contracts(&format!(r#"{{"claim":"send_email","pattern":"{pattern}"}}"#)).unwrap_err();
        assert!(fault.reason.contains("gave the pattern"), "{fault}");
    }
    let fault = contracts(r#"{"claimed":"x"}"#).unwrap_err();
    assert!(fault.reason.contains("settings: unknown field `claimed`"), "{fault}");
    let fault = contracts("not json").unwrap_err();
    assert!(fault.reason.contains("settings:"), "{fault}");
}

fn load_error(bytes: &[u8]) -> LoadError {
    sandbox().load("bad", bytes).unwrap_err()
}

#[test]
fn what_is_no_policy_module_is_refused_with_the_reason() {
    assert!(matches!(load_error(b""), LoadError::Invalid(_)));
    assert!(matches!(load_error(b"#!/bin/sh\necho hello\n"), LoadError::Invalid(_)));
    let whole = misbehaving_component();
    for cut in [4, 9, 100, whole.len() / 2, whole.len() - 1] {
        assert!(matches!(load_error(&whole[..cut]), LoadError::Invalid(_)), "cut at {cut}");
    }
    assert_eq!(load_error(bouncer_artifacts::core_module("misbehaving").unwrap()), LoadError::CoreModule);
    assert!(matches!(load_error(&vec![0; 9 * 1024 * 1024]), LoadError::TooLarge(_)));
    let other = wat::parse_str("(component)").unwrap();
    assert_eq!(load_error(&other), LoadError::MissingExport(imports::RULES.to_owned()));
    let half = r#"(component (instance $none) (export "bouncer:policy/rules@0.1.0" (instance $none)))"#;
    let missing = LoadError::MissingExport(format!("{}#contracts", imports::RULES));
    assert_eq!(load_error(&wat::parse_str(half).unwrap()), missing);
}

#[test]
fn an_import_that_is_a_function_is_refused_by_name() {
    let plain = r#"(component (import "now" (func (result u64))))"#;
    assert_eq!(load_error(&wat::parse_str(plain).unwrap()), LoadError::Import("now".to_owned()));
    let clock = r#"(component (import "wasi:clocks/monotonic-clock@0.2.0" (instance (export "now" (func (result u64))))))"#;
    let error = load_error(&wat::parse_str(clock).unwrap());
    assert_eq!(error, LoadError::Import("wasi:clocks/monotonic-clock@0.2.0#now".to_owned()));
    assert!(error.to_string().contains("wasi:clocks/monotonic-clock@0.2.0#now"));
}

/// A module that writes these words, from address 64 on, and answers with their address.
fn answering(words: &[u32], pages: u32) -> Module {
    let stores: String = words
        .iter()
        .zip((64..).step_by(4))
        .map(|(word, at)| format!("(i32.store (i32.const {at}) (i32.const {word}))\n"))
        .collect();
    let component = component_from_wat(&core_module(&format!("{stores} (i32.const 64)"), pages, ""));
    sandbox().load("raw", &component).unwrap()
}

#[test]
fn nonsense_at_the_level_of_the_abi_is_a_fault() {
    // A well-formed answer without findings or destinations first, so that the rest fails for its own reason.
    assert!(matches!(judge(&answering(&[0, 0, 0, 0, 0], 1), "fine"), ModuleOutcome::Answered { .. }));
    // Neither ok nor error.
    fails(&answering(&[7, 0, 0, 0, 0], 1), "x", "answered nonsense");
    // One finding whose verdict is the 77th.
    fails(&answering(&[0, 96, 1, 0, 0, 0, 0, 0, 77, 0, 0, 0, 0, 0, 0], 1), "x", "answered nonsense");
    // A list, and a text, beyond the end of the memory.
    fails(&answering(&[0, 65_000, 10_000_000, 0, 0], 1), "x", "answered nonsense");
    fails(&answering(&[0, 96, 1, 0, 0, 0, 0, 0, 0, 0xffff_0000, 9, 0, 0, 0, 0], 1), "x", "answered nonsense");
    // A text that is no UTF-8.
    let text = [0, 96, 1, 0, 0, 0, 0, 0, 0, 124, 4, 0, 0, 0, 0, 0xffff_ffff];
    fails(&answering(&text, 1), "x", "answered nonsense");
}

#[test]
fn ten_million_findings_that_share_one_text_do_not_fill_the_host() {
    // 2.3 million findings of 28 zero bytes each fill the whole memory: cheap for the guest, dear for the host.
    fails(&answering(&[0, 4096, 2_300_000, 0, 0], 1023), "x", "answered nonsense: too much data");
    // An error whose text is the whole memory.
    fails(&answering(&[1, 0, 66_000_000], 1023), "x", "answered nonsense: too much data");
}

#[test]
fn more_memory_than_allowed_is_refused_at_load() {
    let component = component_from_wat(&core_module("(i32.const 64)", 2000, ""));
    let error = sandbox().load("large", &component).unwrap_err();
    assert!(matches!(&error, LoadError::Start(reason) if reason.contains("64 MiB")), "{error}");
}

#[test]
fn a_start_function_that_never_ends_is_stopped_at_load() {
    let items = "(func $start (loop $again (br $again))) (start $start)";
    let component = component_from_wat(&core_module("(i32.const 64)", 1, items));
    let error = sandbox().load("endless", &component).unwrap_err();
    assert!(matches!(&error, LoadError::Start(reason) if reason.contains("fuel")), "{error}");
}

#[test]
fn the_cache_is_used_and_a_spoilt_one_is_not_believed() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("cache");
    let load = || {
        let sandbox = Sandbox::new(Some(dir.clone())).unwrap();
        assert_eq!(sandbox.cache_problem(), None);
        sandbox.load("misbehaving", misbehaving_component()).unwrap()
    };
    let files = || fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    load();
    let [file] = files().try_into().expect("one file");
    let whole = fs::read(&file).unwrap();
    let written = || fs::metadata(&file).unwrap().modified().unwrap();
    let first = written();
    load();
    assert_eq!(written(), first, "taken from the cache");
    for spoilt in [whole[..whole.len() / 2].to_vec(), Vec::new(), {
        let mut flipped = whole.clone();
        flipped[5000] ^= 1;
        flipped
    }] {
        fs::write(&file, &spoilt).unwrap();
        assert!(matches!(judge(&load(), "fine"), ModuleOutcome::Answered { .. }));
        assert_eq!(fs::read(&file).unwrap().len(), whole.len(), "compiled and written anew");
    }
    assert_eq!(files().len(), 1, "no temporary file stays");
}

#[cfg(unix)]
#[test]
fn a_cache_that_others_can_write_to_is_not_used() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("open");
    fs::create_dir(&dir).unwrap();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o777)).unwrap();
    let sandbox = Sandbox::new(Some(dir.clone())).unwrap();
    assert!(sandbox.cache_problem().unwrap().contains("others may"), "{:?}", sandbox.cache_problem());
    sandbox.load("misbehaving", misbehaving_component()).unwrap();
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
    let link = home.path().join("link");
    symlink(&dir, &link).unwrap();
    assert!(Sandbox::new(Some(link)).unwrap().cache_problem().is_some());
}

#[test]
fn no_path_of_this_machine_is_inside_a_guest() {
    for name in bouncer_artifacts::names() {
        let module = String::from_utf8_lossy(bouncer_artifacts::core_module(name).unwrap()).into_owned();
        let home = std::env::var("HOME").unwrap_or_else(|_| "/home".to_owned());
        for path in [env!("CARGO_MANIFEST_DIR").trim_end_matches("/tests/sandbox"), home.as_str()] {
            assert!(!module.contains(&format!("{path}/")), "`{path}` is in `{name}`");
        }
    }
}
