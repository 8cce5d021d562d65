/** The name of a new run: a person's, a model's where one is configured, or a made-up one. */

import type { Host } from './host.ts'
import { chooseName } from './run-names.ts'

export interface NamingOptions {
  /** What the person said. */
  readonly given?: string
  /** `provider/model`; absent: names are made up. */
  readonly model?: string
  /** What the run is about, for the model: the beginning of its prompt. */
  readonly about: string
  readonly signal?: AbortSignal
}

export type NameSource = 'given' | 'model' | 'built-in'

export interface RunName {
  readonly name: string
  readonly source: NameSource
}

/** A name that no run has yet. A model that fails or takes too long is no reason to fail. */
export async function nameRun(
  host: Pick<Host, 'journal' | 'models'>,
  { given }: NamingOptions,
): Promise<RunName> {
  const { name } = await chooseName(host.journal, given)
  return { name, source: given === undefined ? 'built-in' : 'given' }
}
