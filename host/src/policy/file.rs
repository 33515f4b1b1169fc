//! The policy file's own syntax, TOML, lowered to [`Node`]s.

use super::error::Problem;
use super::node::{Data, Key, Node};
use toml::de::{DeTable, DeValue};

/// Parses TOML text. An error holds what the TOML parser expected and where.
pub(crate) fn parse(text: &str) -> Result<Node, Problem> {
    let table = DeTable::parse(text).map_err(|error| {
        let end = text.len();
        let mut problem = Problem::new(error.span().unwrap_or(end..end), "the file is not valid TOML");
        problem.label = error.message().lines().collect::<Vec<_>>().join("; ");
        problem
    })?;
    let span = table.span();
    lower_table(table.get_ref()).map(|data| Node { span, data })
}

fn lower_table(table: &DeTable<'_>) -> Result<Data, Problem> {
    table
        .iter()
        .map(|(key, value)| {
            let key = Key { span: key.span(), name: key.get_ref().to_string() };
            Ok((key, lower(value)?))
        })
        .collect::<Result<_, Problem>>()
        .map(Data::Table)
}

fn lower(value: &toml::Spanned<DeValue<'_>>) -> Result<Node, Problem> {
    let span = value.span();
    let data = match value.get_ref() {
        DeValue::String(text) => Data::Text(text.to_string()),
        DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Data::Integer(number),
            Err(_) => return Err(Problem::new(span, "the number is too large")),
        },
        DeValue::Float(number) => match number.as_str().parse() {
            Ok(number) => Data::Float(number),
            Err(_) => return Err(Problem::new(span, "the number cannot be read")),
        },
        DeValue::Boolean(flag) => Data::Bool(*flag),
        DeValue::Datetime(date) => Data::Date(date.to_string()),
        DeValue::Array(items) => Data::List(items.iter().map(lower).collect::<Result<_, _>>()?),
        DeValue::Table(table) => lower_table(table)?,
    };
    Ok(Node { span, data })
}
