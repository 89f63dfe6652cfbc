//! dtypes at run time.
