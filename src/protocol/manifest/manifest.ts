/**
 * A manifest as the program uses it: what a tuning loop may change, its cases, and the commands that run and judge them. Every
 * default that depends on nothing else is filled in, durations are in milliseconds, money in micro-dollars. Its written form is in
 * `manifest-schema.ts`. Paths are relative to the folder of the manifest.
 */

export const manifestFileName = 'loop.manifest.json'
export const manifestBytesMax: number = 1024 * 1024

export interface Manifest {
  readonly workloadId: string
  /** The files that the loop may change. */
  readonly artifactPaths: readonly string[]
  /** Globs. */
  readonly casePaths: readonly string[]
  /** Globs, or paths with `{name}`. Absent: outputs are judged without an expected one. */
  readonly expectedPaths?: readonly string[]
  /** Runs the workload on one case, in the folder of the manifest. */
  readonly runCommand: string
  /** Where the workload writes its output. */
  readonly outputPath: string
  /** Prints a critique as JSON. */
  readonly evaluateCommand?: string
  /** Prints another one; both are merged. */
  readonly reviewCommand?: string
  readonly agents: {
    readonly composer: { readonly promptFile: string }
    /** Absent: no agent reviews. */
    readonly reviewer?: { readonly promptFile: string }
  }
  readonly domainDocs: readonly string[]
  readonly maxIterations: number
  /** Runs before the cases of each candidate; what it writes is there for each of them. */
  readonly buildCommand?: string
  /** `smart`: a result for the same content is reused. `force`: every command runs. */
  readonly cacheStrategy: 'smart' | 'force'
  readonly repeats: RepeatSettings
  readonly split: SplitSettings
  readonly timeouts: {
    readonly runMs: number
    readonly evaluateMs: number
    readonly buildMs: number
  }
  /** How many commands run at the same time. Absent: depends on the machine. */
  readonly concurrency?: number
  /** What one run of one case costs outside of the gateway. */
  readonly costPerCaseMicros: number
  /** What the search composer may change. */
  readonly knobs: { readonly [name: string]: Knob }
  /** Such as `#needs-loop`. */
  readonly tags: readonly string[]
}

/** How often each case runs. Absent: as the number of cases demands. */
export interface RepeatSettings {
  readonly baseline?: number
  readonly proof?: number
}

export interface SplitSettings {
  /** The share of the cases that is sealed until the end. Absent: as the number of cases demands. */
  readonly holdout?: number
  /** Decides which cases are sealed. Absent: derived from the names of the cases. */
  readonly seed?: string
  /** Cases, by path, that reports show first. */
  readonly focus: readonly string[]
  /** Cases, by path, that pass and must stay so. */
  readonly guards: readonly string[]
  /** Globs of cases that are left out, each with the reason. */
  readonly exclude: readonly { readonly cases: string; readonly reason: string }[]
}

/** A place in an artifact, and its possible values. */
export type Knob = {
  /** The artifact. Absent: the only one. */
  readonly file?: string
  /** A part of its text that occurs once, with `{value}` where the value is. */
  readonly text: string
} & KnobValues

export type KnobValues =
  | {
      readonly type: 'number'
      readonly min: number
      readonly max: number
      /** Values are `min` plus a multiple of it. Absent: any number in between. */
      readonly step?: number
    }
  | { readonly type: 'choice'; readonly values: readonly string[] }
  | { readonly type: 'toggle'; readonly on: string; readonly off: string }
  | { readonly type: 'text'; readonly variants: readonly string[] }
