//! Enums to which a newer service may add values.

/// Defines an enum with `Unknown(String)` as its last variant, which is a string in JSON.
macro_rules! open_words {
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            $($(#[$about_word:meta])* $word:ident = $text:literal,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$about_word])* $word,)+
            /// A value that this version of the client does not know.
            Unknown(String),
        }

        impl $name {
            /// The value in JSON.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$word => $text,)+
                    Self::Unknown(word) => word,
                }
            }
        }

        impl From<String> for $name {
            fn from(word: String) -> Self {
                match word.as_str() {
                    $($text => Self::$word,)+
                    _ => Self::Unknown(word),
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                Self::from(word.to_owned())
            }
        }

        /// Of an answer without the value.
        impl Default for $name {
            fn default() -> Self {
                Self::Unknown(String::new())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(Self::from)
            }
        }
    };
}

pub(crate) use open_words;
