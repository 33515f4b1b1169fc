//! JSON as a literal.

/// A [`Value`](crate::Value) written as JSON, with Rust expressions where values stand.
///
/// ```
/// use bouncer_guest::json;
/// let people = ["a@x.io", "b@x.io"];
/// let value = json!({"to": people, "cc": null, "mail": {"urgent": true, "parts": [1, {"n": 2}]}});
/// assert_eq!(value.to_string(), r#"{"to":["a@x.io","b@x.io"],"cc":null,"mail":{"urgent":true,"parts":[1,{"n":2}]}}"#);
/// ```
#[macro_export]
macro_rules! json {
    (@items [$($done:expr,)*]) => { $crate::__vec![$($done,)*] };
    (@items [$($done:expr,)*] null $(, $($rest:tt)*)?) => {
        $crate::json!(@items [$($done,)* $crate::Value::Null,] $($($rest)*)?)
    };
    (@items [$($done:expr,)*] [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::json!(@items [$($done,)* $crate::json!([$($inner)*]),] $($($rest)*)?)
    };
    (@items [$($done:expr,)*] {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::json!(@items [$($done,)* $crate::json!({$($inner)*}),] $($($rest)*)?)
    };
    (@items [$($done:expr,)*] $item:expr $(, $($rest:tt)*)?) => {
        $crate::json!(@items [$($done,)* $crate::ToValue::to_value(&$item),] $($($rest)*)?)
    };
    (@members $map:ident) => {};
    (@members $map:ident $name:tt : null $(, $($rest:tt)*)?) => {
        $map.insert($name, $crate::Value::Null);
        $crate::json!(@members $map $($($rest)*)?);
    };
    (@members $map:ident $name:tt : [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $map.insert($name, $crate::json!([$($inner)*]));
        $crate::json!(@members $map $($($rest)*)?);
    };
    (@members $map:ident $name:tt : {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $map.insert($name, $crate::json!({$($inner)*}));
        $crate::json!(@members $map $($($rest)*)?);
    };
    (@members $map:ident $name:tt : $value:expr $(, $($rest:tt)*)?) => {
        $map.insert($name, $crate::ToValue::to_value(&$value));
        $crate::json!(@members $map $($($rest)*)?);
    };
    (null) => { $crate::Value::Null };
    ([$($items:tt)*]) => { $crate::Value::Array($crate::json!(@items [] $($items)*)) };
    ({}) => { $crate::Value::Object($crate::Map::new()) };
    ({$($members:tt)*}) => {{
        let mut map = $crate::Map::new();
        $crate::json!(@members map $($members)*);
        $crate::Value::Object(map)
    }};
    ($value:expr) => { $crate::ToValue::to_value(&$value) };
}
