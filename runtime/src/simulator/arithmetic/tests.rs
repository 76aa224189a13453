//! Tests of the families, each against an independent way of computing.

mod forms;
