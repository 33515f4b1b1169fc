//! Policy pack for payments and accounts (Stripe, Xero): what moves money back or on is asked about each
//! time, and a link that customers are sent to is a destination.

use bouncer_guest::prelude::*;
use bouncer_pack_table::text;

/// What is known of each server's tools.
pub const TABLES: &[&str] = &[include_str!("../tables/stripe.txt"), include_str!("../tables/xero.txt")];

/// The policy.
#[derive(Debug)]
pub struct Payments;

impl Policy for Payments {
    type Settings = ();

    fn contracts(server: &Server, tools: &[Tool], _: &()) -> Result<Vec<Contract>, Error> {
        text::contracts(TABLES, server, tools)
    }

    fn evaluate(call: &Call<'_>, _: &[Destination], _: &()) -> Result<Judgement, Error> {
        let (code, text) = match call.tool() {
            "create_refund" => ("refund", "money would be paid back"),
            "cancel_subscription" => ("cancelled", "the subscription would end"),
            "update_subscription" => ("charge_changed", "what the customer is charged would change"),
            "finalize_invoice" => {
                ("invoice_final", "the invoice would be final, and may be sent to the customer")
            }
            "update_dispute" if text::is_filled(call.get("/submit")) => {
                ("submitted", "the evidence would be handed in, once and for all")
            }
            "create-payment" | "create-bank-transaction" | "update-bank-transaction" => {
                ("booked", "a payment would be entered into the books")
            }
            _ => return Ok(Judgement::new()),
        };
        Ok(Finding::ask(code, text).into())
    }
}

export_policy!(Payments);
