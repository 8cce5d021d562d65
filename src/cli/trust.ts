/** A loop file runs only after the user trusted its exact content; asks for that at a terminal. */

import type { Preview } from '../client/index.ts'
import type { LoadOptions as Loading } from '../definition/load-options.ts'
import type { LoadedLoop } from '../launch/loaded-loop.ts'
import { defined, type Source } from '../loop/index.ts'
import { confirm } from './ask.ts'
import { visible } from './display/render.ts'
import { renderPowers } from './display/wrap.ts'
import type { LoadOptions } from './run-options.ts'
import type { Session } from './session.ts'

export async function loadTrusted(
  session: Session,
  folder: string,
  file: string,
  options: LoadOptions,
  { purpose = 'run', watched, changes, defaultModel, moreChecks, ...more }: LoadManner = {},
): Promise<LoadedLoop> {
  const { loadLoop, previewLoop, trustLoop } = await import('../launch/load-loop.ts')
  const { createReadLoops } = await import('../launch/read-loops.ts')
  const reads = createReadLoops()
  const preview = await previewLoop(file, folder, { reads, ...defined({ purpose }) })
  const wanted = !preview.trusted && (purpose !== 'look' || options.trust === true)
  if (wanted && (options.trust === true || (await isAgreed(session, preview)))) {
    await trustLoop(preview, folder)
  }
  const loading = {
    folder,
    purpose,
    ...defined({ input: options.input, changes }),
    defaultModel,
    ...defined({ moreChecks }),
    ...more,
    ...(watched === undefined ? {} : { onLine: watched.say, signal: watched.signal }),
  }
  return loadLoop(file, loading, reads)
}

/** What is known about a loop file before it is loaded. */
export type Previewed = Pick<Preview, 'file' | 'digest' | 'variables'>

/** Rejects if a loop file has problems or is not trusted, before a daemon is started or asked. */
export async function requireAgreed(
  session: Session,
  folder: string,
  file: string,
  isTrusted: boolean,
  purpose?: 'resume',
): Promise<Previewed> {
  const { previewLoop, requireTrustedLoop, trustLoop } = await import('../launch/load-loop.ts')
  const preview = await previewLoop(file, folder, defined({ purpose }))
  if (!preview.trusted && (isTrusted || (await isAgreed(session, preview)))) {
    await trustLoop(preview, folder)
  }
  await requireTrustedLoop(preview, folder)
  return preview
}

/** The digest of a file that the user trusts, so that a daemon trusts exactly that content. */
export async function agreedDigest(
  session: Session,
  preview: Agreeable & { readonly digest: string },
  isTrusted: boolean,
): Promise<string | undefined> {
  return isTrusted || (await isAgreed(session, preview)) ? preview.digest : undefined
}

export interface LoadManner extends Pick<Loading, 'defaults' | 'agentTimeMs' | 'models'> {
  readonly purpose?: 'run' | 'resume' | 'look'
  /** What the command line overrides. */
  readonly changes?: Source['changes'] | undefined
  /** For an agent whose file names no model. */
  readonly defaultModel?: string | undefined
  /** Commands that must pass in addition to its checks. */
  readonly moreChecks?: NonNullable<Source['changes']>['checks']
  /** Policy files of the configuration. */
  readonly policy?: NonNullable<Source['changes']>['policy']
  readonly watched?: { say(line: string): void; readonly signal: AbortSignal }
}

interface Agreeable {
  readonly file: string
  readonly powers: readonly string[]
}

async function isAgreed({ terminal }: Session, { file, powers }: Agreeable): Promise<boolean> {
  if (!terminal.asks) return false
  const head = visible(`${file} is new here or has changed. It`)
  process.stdout.write(`${[head, ...renderPowers(powers, terminal)].join('\n')}\n`)
  return confirm('Trust it as it is now?')
}
