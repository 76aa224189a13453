//! Accesses to views of tensors, loads and stores alike.

use melior::ir::Attribute;

use crate::build::Builder;
use crate::dialect::TileOp;
use crate::ir::{Operation, Value, attributes};

/// A load or a store of a view: its operands and attributes by name.
#[derive(Clone)]
pub struct Access<'c> {
    pub operation: Operation<'c>,
    pub base: Value<'c>,
    /// What is loaded or stored.
    pub tile: Value<'c>,
    pub starts: Vec<Value<'c>>,
    pub sizes: Vec<Value<'c>>,
    pub strides: Vec<Value<'c>>,
    pub kinds: Vec<i64>,
    pub checked: bool,
    pub is_store: bool,
}

impl<'c> Access<'c> {
    pub fn of(operation: Operation<'c>) -> Option<Self> {
        Some(match TileOp::of(operation)? {
            TileOp::LoadView(load) => Self {
                operation,
                base: load.base(),
                tile: load.result(),
                starts: load.starts(),
                sizes: load.sizes(),
                strides: load.strides(),
                kinds: load.kinds(),
                checked: load.checked() != 0,
                is_store: false,
            },
            TileOp::StoreView(store) => Self {
                operation,
                base: store.base(),
                tile: store.value(),
                starts: store.starts(),
                sizes: store.sizes(),
                strides: store.strides(),
                kinds: store.kinds(),
                checked: store.checked() != 0,
                is_store: true,
            },
            _ => return None,
        })
    }

    /// Which of its operands is the first start.
    pub fn first_start(&self) -> usize {
        1 + usize::from(self.is_store)
    }

    /// Its attributes, with other kinds of dimensions.
    pub fn attributes_with(
        &self,
        builder: &Builder<'c>,
        kinds: &[i64],
    ) -> Vec<(&'c str, Attribute<'c>)> {
        let mut all = attributes(self.operation);
        for (name, value) in &mut all {
            if *name == "kinds" {
                *value = builder.ints(kinds);
            }
        }
        all
    }
}
