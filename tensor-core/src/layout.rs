//! Layouts and memory formats: names for how the elements of a tensor lie in its storage.

use std::fmt;

/// How a tensor keeps its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Layout {
    /// Sizes and strides over one storage.
    #[default]
    Strided,
    /// Coordinates and values.
    SparseCoo,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Strided => "torch.strided",
            Self::SparseCoo => "torch.sparse_coo",
        })
    }
}

/// The order in which the dimensions of a dense tensor lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum MemoryFormat {
    /// Row-major.
    Contiguous,
    /// Four dimensions NCHW, stored NHWC.
    ChannelsLast,
    /// Five dimensions NCDHW, stored NDHWC.
    ChannelsLast3d,
    /// The order of the input.
    #[default]
    Preserve,
}

impl fmt::Display for MemoryFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Contiguous => "torch.contiguous_format",
            Self::ChannelsLast => "torch.channels_last",
            Self::ChannelsLast3d => "torch.channels_last_3d",
            Self::Preserve => "torch.preserve_format",
        })
    }
}
