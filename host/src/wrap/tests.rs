//! Client configurations of many shapes: what is wrapped, what stays, and the way back.
