//! A test at work: does the steps of its program, and keeps what the next step may need.

use std::collections::HashMap;
use std::rc::Rc;

use tile_runtime::Error;
use tile_runtime::device::Device;
use tile_runtime::program::Program;

use super::Setup;
use super::compare::{self, Tolerance};
use crate::compile::{Compiled, compile};
use crate::diagnostic::{Diagnostic, Span, messages};
use crate::interp::value::Tile;
use crate::interp::{Fault, Host};
use crate::target::Target;
use crate::typed::Kernel;
use crate::typed::host::{HostOperation, HostStep, Test};

/// What a step gives, or the problem that ends the test.
pub(super) type Done<T> = Result<T, Box<Diagnostic>>;

/// A test at work.
pub(super) struct Session<'a> {
    pub test: &'a Test,
    pub setup: &'a Setup<'a>,
    /// What was not looked at, and why.
    pub notes: Vec<String>,
    /// Why the test ended.
    pub failure: Option<Box<Diagnostic>>,
    compiled: HashMap<(usize, &'static str), Rc<Compiled>>,
    /// Kernels on the device of the run.
    loaded: HashMap<usize, Program>,
}

impl<'a> Session<'a> {
    pub fn new(test: &'a Test, setup: &'a Setup<'a>) -> Self {
        Self {
            test,
            setup,
            notes: test.notes.clone(),
            failure: None,
            compiled: HashMap::new(),
            loaded: HashMap::new(),
        }
    }

    /// Notes what was not done as asked, once.
    pub fn note(&mut self, text: &str) {
        if self.notes.iter().all(|note| note != text) {
            self.notes.push(text.to_owned());
        }
    }

    /// A kernel of the test.
    pub fn kernel(&self, index: usize, span: Span) -> Done<&'a Kernel> {
        let malformed = || Box::new(messages::testing::malformed("no such kernel", span));
        self.test.kernels.get(index).ok_or_else(malformed)
    }

    /// A kernel compiled, once per target.
    pub fn compiled(
        &mut self,
        index: usize,
        target: &'static Target,
        span: Span,
    ) -> Done<Rc<Compiled>> {
        if let Some(compiled) = self.compiled.get(&(index, target.name)) {
            return Ok(Rc::clone(compiled));
        }
        let kernel = self.kernel(index, span)?;
        let kernels = std::slice::from_ref(kernel);
        let compiled = compile(self.setup.sources, kernels, target, self.setup.file)
            .map_err(|problem| problem.secondary(span, "used here"))?;
        let compiled = Rc::new(compiled);
        self.compiled
            .insert((index, target.name), Rc::clone(&compiled));
        Ok(compiled)
    }

    /// A compiled kernel on a device, once per kernel: a driver compiles what it loads.
    pub fn loaded(&mut self, index: usize, device: &Device, ptx: &str) -> Result<Program, Error> {
        if let Some(program) = self.loaded.get(&index) {
            return Ok(program.clone());
        }
        let program = device.load(ptx)?;
        self.loaded.insert(index, program.clone());
        Ok(program)
    }

    fn done(&mut self, step: &HostStep, span: Span, operands: &[Rc<Tile>]) -> Done<Vec<Tile>> {
        let malformed = || Box::new(messages::testing::malformed("other operands", span));
        match (&step.operation, operands) {
            (HostOperation::Random(random), []) => {
                super::arrays::random(random, span).map(|tile| vec![tile])
            }
            (HostOperation::Launch(launch), _) => self.launch(launch, span, operands),
            (HostOperation::Assert { message }, [condition, sides @ ..]) => {
                let sides: Vec<&Tile> = sides.iter().map(Rc::as_ref).collect();
                compare::holds(condition, &sides, message.as_deref(), span)?;
                Ok(Vec::new())
            }
            (HostOperation::AssertClose { rtol, atol }, [actual, expected]) => {
                let tolerance = Tolerance::new(*rtol, *atol, actual, expected);
                compare::close(actual, expected, tolerance, span)?;
                Ok(Vec::new())
            }
            (HostOperation::AssertEqual, [actual, expected]) => {
                compare::equal(actual, expected, span)?;
                Ok(Vec::new())
            }
            (HostOperation::AssertPtx(properties), []) => {
                self.assert_ptx(properties, span)?;
                Ok(Vec::new())
            }
            (HostOperation::AssertResources { kernel, limits }, []) => {
                self.assert_resources(*kernel, limits, span)?;
                Ok(Vec::new())
            }
            _ => Err(malformed()),
        }
    }
}

impl Host for Session<'_> {
    fn step(
        &mut self,
        step: &HostStep,
        span: Span,
        operands: &[Rc<Tile>],
    ) -> Result<Vec<Tile>, Fault> {
        self.done(step, span, operands).map_err(|failure| {
            self.failure = Some(failure);
            Fault::Host
        })
    }
}
