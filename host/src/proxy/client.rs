//! Lines from the client: scanned, judged where they call a tool, forwarded as they are.

use super::Relay;
use super::outcome::{How, INVALID_PARAMS};
use super::rounds::Round;
use super::state::{Flight, Listing, Waiting, can_show_form, capabilities_of, request_elicits, version_of};
use super::upstream::Allowed;
use super::wire;
use crate::audit::Entry;
use crate::judge::Before;
use crate::pins::Part;
use bouncer_core::call::{Call, Id, Method};
use bouncer_core::line::{ClientLine, Notification, Refusal, Request, Response, scan};
use bouncer_core::shown::shell_word;
use bouncer_core::value::Value;
use bouncer_core::verdict::Verdict;
use std::collections::btree_map::Entry as Place;
use std::time::Instant;

/// A request is out under the same id already.
const IN_FLIGHT: &str = "a request with this id is not answered yet";

impl Relay {
    /// One line from the client, which had come at `came`.
    pub(crate) fn client_line(&self, line: &[u8], came: Instant) {
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        match scan(line.to_vec(), &self.limits) {
            Ok(ClientLine::Call(call)) => self.on_call(call, came),
            Ok(ClientLine::Request(request)) => self.on_request(request),
            Ok(ClientLine::Notification(notification)) => self.on_notification(notification),
            Ok(ClientLine::Response(response)) => self.on_response(response),
            Err(refusal) => self.refuse(&refusal),
        }
    }

    /// A line that is never forwarded.
    pub(crate) fn refuse(&self, refusal: &Refusal) {
        let Refusal { id, code, rule, text } = refusal;
        let reason = format!("line refused ({rule}): {text}");
        self.note(&Entry {
            verdict: "deny",
            reason: &reason,
            contract: "line",
            id: id.as_ref().map(Id::json),
            ..Entry::default()
        });
        self.down.send(wire::error(id.as_ref(), *code, &format!("[bouncer blocked] {reason}")));
    }

    fn refuse_twice(&self, id: Id) {
        let text = IN_FLIGHT.to_owned();
        self.refuse(&Refusal { id: Some(id), code: -32600, rule: "id_in_flight", text });
    }

    /// A prompt that is no longer what was recorded would hand the model words that nobody has looked at.
    fn refuse_changed_prompt(&self, request: &Request) -> bool {
        let params = request.params();
        let Some(name) = params.as_ref().and_then(|p| p.get("name")).and_then(Value::as_str) else {
            return false;
        };
        if !self.judge.has_changed(Part::Prompts, name) {
            return false;
        }
        let server = shell_word(self.judge.server(), 80);
        let reason = format!(
            "prompt `{}` is no longer what was recorded\nhint: look at it with `bouncer pins diff {server}`, then `bouncer pins accept {server}`",
            wire::shown(name)
        );
        self.note(&Entry {
            tool: "prompts/get",
            verdict: "deny",
            reason: &reason,
            contract: "pinning",
            id: Some(request.id().json()),
            ..Entry::default()
        });
        let text = format!("[bouncer blocked] {reason}");
        self.down.send(wire::error(Some(request.id()), INVALID_PARAMS, &text));
        true
    }

    fn on_request(&self, request: Request) {
        if request.method() == "prompts/get" && self.refuse_changed_prompt(&request) {
            return;
        }
        let params = {
            let state = self.state();
            let idle = matches!(state.listing, Listing::Idle);
            if idle || request.method() == "initialize" { request.params() } else { None }
        };
        let method = request.method().to_owned();
        let mut start = false;
        let listed = Part::listed_by(&method);
        {
            let mut state = self.state();
            if state.flights.contains_key(request.id()) {
                drop(state);
                return self.refuse_twice(request.id().clone());
            }
            let flight = Flight { method: method.clone().into(), ..Flight::default() };
            state.flights.insert(request.id().clone(), flight);
            if method == "initialize" {
                let capabilities = params.as_ref().and_then(|p| p.get("capabilities"));
                state.elicits = capabilities.is_some_and(can_show_form);
                state.greeted = false;
                state.initialized = false;
            } else if let Some(version) = params.as_ref().and_then(version_of) {
                state.modern = Some(version.to_owned());
                state.modern_can = params.as_ref().and_then(capabilities_of);
                // Its answer tells whether the server is of this era at all.
                start = method != "server/discover";
            }
        }
        self.pass(request.permit());
        if start {
            self.start_listing();
        }
        if let Some(part) = listed {
            self.list_once(part);
        }
    }

    fn on_notification(&self, notification: Notification) {
        match notification.method() {
            "notifications/initialized" => {
                self.pass(notification.permit());
                let greeted = {
                    let mut state = self.state();
                    state.initialized = true;
                    state.greeted
                };
                if greeted {
                    self.start_listing();
                }
            }
            "notifications/cancelled" => {
                let params = notification.params();
                let id = params.as_ref().and_then(|p| p.get("requestId")).and_then(Id::from_value);
                if !id.is_some_and(|id| self.withdraw(&id)) {
                    self.pass(notification.permit());
                }
            }
            _ => self.pass(notification.permit()),
        }
    }

    fn on_response(&self, response: Response) {
        let id = Value::parse(response.id().json().as_bytes(), 0).ok();
        match id.as_ref().and_then(Value::as_str).filter(|id| id.starts_with(&self.prefix)) {
            Some(own) => self.answered(own, response.result().as_ref()),
            None => self.pass(response.permit()),
        }
    }

    fn on_call(&self, call: Call, came: Instant) {
        let is_tool = call.method() == Method::CallTool;
        let flight = Flight {
            method: call.method().as_str().into(),
            tool: is_tool.then(|| self.judge.source(call.tool())),
            task: call.params().get("task").is_some(),
            round: None,
        };
        {
            let mut state = self.state();
            match state.flights.entry(call.id().clone()) {
                Place::Vacant(place) => drop(place.insert(flight)),
                Place::Occupied(_) => {
                    drop(state);
                    return self.refuse_twice(call.id().clone());
                }
            }
            if let (Listing::Idle, Some(version)) = (&state.listing, version_of(call.params())) {
                state.modern = Some(version.to_owned());
                state.modern_can = capabilities_of(call.params());
            }
        }
        match self.retried(call) {
            Ok((call, before)) => self.judge_in_turn(call, Before { came: Some(came), ..before }),
            Err(denied) => self.block(&denied.id, &denied.tool, denied.args.as_ref(), &denied.how()),
        }
    }

    /// Judges now, or after the calls that wait for the tool list.
    pub(crate) fn judge_in_turn(&self, call: Call, before: Before) {
        if call.method() != Method::CallTool {
            return self.decide(call, &before);
        }
        let mut state = self.state();
        if !state.is_ready() {
            let idle = matches!(state.listing, Listing::Idle) || state.has_stale_list();
            // An `initialize` on its way will start the listing itself.
            let greeting = state.flights.values().any(|f| f.method == "initialize");
            state.waiting.push_back(Waiting { call, before });
            drop(state);
            if idle && !greeting {
                self.start_listing();
            }
            return self.wake_clerk();
        }
        drop(state);
        self.decide(call, &before);
    }

    /// Judges a call and acts on the verdict.
    pub(crate) fn decide(&self, call: Call, before: &Before) {
        let began = Instant::now();
        let (id, tool) = (call.id().clone(), call.tool().to_owned());
        let modern = version_of(call.params()).is_some();
        let verdicted = match self.judge.judge(call, before) {
            Ok(verdicted) => verdicted,
            Err(fault) => {
                let how = How {
                    modern,
                    reason: &fault.to_string(),
                    contract: "default",
                    ruling: None,
                    took: began.elapsed(),
                };
                return self.block(&id, &tool, None, &how);
            }
        };
        let took = began.elapsed();
        let attempt = verdicted.attempt;
        let (call, ruling) = (verdicted.judged.call(), verdicted.judged.ruling());
        let (method, verdict) = (call.method(), ruling.verdict);
        if modern && verdict == Verdict::Allow && method.has_rounds() {
            let before = Before { attempt: Some(attempt), asked: false, came: None, ..before.clone() };
            let round = Round::of(call, before);
            if let Some(flight) = self.state().flights.get_mut(&id) {
                flight.round = Some(round);
            }
        }
        if verdict != Verdict::Allow && method.names_resources() && self.look_into_catalog() {
            if let Err((call, _)) = verdicted.judged.permit() {
                let before = Before { attempt: Some(attempt), ..before.clone() };
                self.state().catalog.waiting.push_back(Waiting { call, before });
                // It may have come meanwhile.
                let _ = self.clerk.send(super::clerk::Job::Release);
            }
            return;
        }
        if verdicted.ran_modules {
            let _ = self.clerk.send(super::clerk::Job::Prepare);
        }
        let mut line = String::new();
        if verdict == Verdict::Allow {
            let ruling = verdicted.judged.ruling();
            let (reason, contract) = (ruling.reason.as_str(), ruling.contract.as_str());
            let how = How { modern, reason, contract, ruling: Some(ruling), took };
            line = self.line(&id, &tool, Some(verdicted.judged.call().arguments()), "allow", &how);
        }
        match verdicted.judged.permit() {
            Ok((permit, _)) => self.forward(permit, Some(Allowed { id, modern, line })),
            Err((call, ruling))
                if ruling.verdict == Verdict::Ask
                    && !before.asked
                    // A suggestion while somebody is typing is not worth a question.
                    && method != Method::Complete
                    && !ruling.questions.is_empty() =>
            {
                self.ask(call, ruling, attempt, took);
            }
            Err((call, ruling)) => {
                let contract = ruling.contract.as_str();
                let how = How { modern, reason: &ruling.reason, contract, ruling: Some(&ruling), took };
                self.block(&id, &tool, Some(call.arguments()), &how);
            }
        }
    }

    /// Whether a human can be asked about this call, by what its client says of itself.
    pub(crate) fn can_ask(&self, call: &Call) -> bool {
        if version_of(call.params()).is_some() {
            request_elicits(call.params())
        } else {
            self.state().elicits
        }
    }
}
