/** Variables of an environment by name, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>
