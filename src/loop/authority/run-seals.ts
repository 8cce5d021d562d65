/** What a loop seals besides the defaults, as the journal keeps it. */

/** Globs over paths from the top of the workspace, and dotted keys by file. */
export interface RunSeals {
  readonly paths: readonly string[]
  readonly except: readonly string[]
  readonly keys: { readonly [file: string]: readonly string[] }
}
