//! Judges a case in this process: through the judge that `run` uses, with the packs as Wasm or as native code.

use super::case::Case;
use super::native;
use super::ruled::Ruled;
use bouncer::judge::{Before, Judge, Place};
use bouncer::layer::{Layers, Nobody, PackCall, PackSource, PackStatements};
use bouncer::pack::{self, Pack};
use bouncer::policy::Policy;
use bouncer::sandbox::Evaluation;
use bouncer::session::{Output, Session};
use bouncer_core::call::Call;
use bouncer_core::decide::ModuleOutcome;
use bouncer_core::line::{ClientLine, Limits, scan};
use bouncer_core::provenance::Source;
use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::value::{MAX_DEPTH, Value};
use std::path::Path;
use std::sync::Arc;

/// How the packs are run.
#[derive(Clone, Copy, PartialEq)]
pub enum As {
    Wasm,
    Native,
}

struct Packs {
    packs: Arc<Vec<Pack>>,
    policy: Arc<Policy>,
    run: As,
}

impl PackSource for Packs {
    fn stated(&self, identity: &ServerIdentity, tools: &[Tool]) -> PackStatements {
        let stated = pack::stated(&self.packs, identity, tools, &|name| self.policy.settings(name));
        PackStatements { by_tool: stated.by_tool, faults: stated.faults }
    }

    fn evaluate(&self, call: PackCall<'_>) -> ModuleOutcome {
        let evaluation = Evaluation {
            server: call.server,
            tool: call.tool,
            arguments_json: call.arguments_json,
            settings_json: &self.policy.settings(call.pack),
            destinations: call.destinations,
        };
        match self.run {
            As::Native => native::evaluate(call.pack, &evaluation),
            As::Wasm => {
                let pack = self.packs.iter().find(|pack| pack.manifest.name == call.pack).unwrap();
                pack.module.evaluate(&evaluation)
            }
        }
    }
}

pub fn tools(case: &Case) -> Vec<Tool> {
    let read = |tool: &serde_json::Value| Value::parse(tool.to_string().as_bytes(), MAX_DEPTH).unwrap();
    case.tools.iter().map(|tool| Tool::from_definition(read(tool)).unwrap()).collect()
}

/// The native builds must state the very contracts that the components state.
pub fn contracts_differ(case: &Case, packs: &[Pack], policy: &Policy) -> Option<String> {
    let tools = tools(case);
    packs.iter().filter(|pack| case.packs && pack.manifest.is_for(&case.identity)).find_map(|pack| {
        let name = &pack.manifest.name;
        let settings = policy.settings(name);
        let wasm = pack.module.contracts(&case.identity, &tools, &settings);
        let wasm: Vec<_> = wasm.unwrap().into_iter().map(|stated| (stated.tool, stated.contract)).collect();
        let native = native::contracts(name, &case.identity, &tools, &settings).unwrap();
        let (wasm, native) = (format!("{wasm:?}"), format!("{native:?}"));
        (wasm != native).then(|| format!("pack {name} states other contracts natively:\n{native}\n{wasm}"))
    })
}

/// Judges `case` by the policy file `policy`. Where `cwd` is empty, relative paths lead nowhere, as case files say.
pub fn judge(case: &Case, policy: &Path, packs: &Arc<Vec<Pack>>, run: As, cwd: &Path) -> Ruled {
    let policy = Arc::new(Policy::load(policy).unwrap_or_else(|e| panic!("{}: {e}", case.title)));
    let modules: Arc<dyn PackSource> = if case.packs {
        Arc::new(Packs { packs: Arc::clone(packs), policy: Arc::clone(&policy), run })
    } else {
        Arc::new(Nobody)
    };
    let session = Arc::new(Session::new(case.title.clone()));
    let place = Place {
        cwd: cwd.to_owned(),
        args: case.identity.command.iter().skip(1).cloned().collect(),
        home: std::env::home_dir(),
    };
    let server = case.identity.name.as_str();
    let judge = Judge::new(server, Layers { policy, packs: modules }, Arc::clone(&session), place);
    judge.set_tools(&case.identity, tools(case));
    if let Some(prompt) = &case.prompt {
        session.prompt(prompt).unwrap();
    }
    for seen in &case.seen {
        let own = if seen.server == server { judge.directories(&seen.tool) } else { Arc::default() };
        let source = Source { server: seen.server.clone(), tool: seen.tool.clone() };
        session.record(source, Output::text(&seen.text), own);
    }
    for _ in 1..case.attempts {
        session.with_attempt(server, &case.call.tool, true, None, |_, _| ()).unwrap();
    }
    let verdicted = judge.judge(call(case), &Before::default()).unwrap();
    let ruled = Ruled::of(verdicted.judged.ruling());
    assert_eq!(verdicted.judged.permit().is_ok(), ruled.verdict == "allow", "{}", case.title);
    ruled
}

fn call(case: &Case) -> Call {
    let name = serde_json::to_string(&case.call.tool).unwrap();
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":{name},"arguments":{}}}}}"#,
        case.call.arguments
    );
    match scan(line.into_bytes(), &Limits::default()) {
        Ok(ClientLine::Call(call)) => call,
        other => panic!("{}: no call: {other:?}", case.title),
    }
}
