/** A client that this process answers itself, for `--no-daemon` and where no daemon answers. */

import type { Command } from 'commander'
import type { Client } from '../../client/index.ts'
import { visible } from '../display/render.ts'
import { readStateFolder } from '../session.ts'

export interface Here {
  readonly client: Client
  /** The state folder. */
  readonly folder: string
  /** Follows a run that was started through `client` and that this process drives. */
  driven(run: string): DrivenHere | undefined
  close(): Promise<void>
}

export type DrivenHere = NonNullable<ReturnType<InProcess['driven']>>

type InProcess = import('../../daemon/in-process/open-in-process.ts').InProcess

export interface HereOptions {
  /** Prints a line among those of the run. */
  say(line: string): void
  /** Aborting it shuts down what is driven here. */
  readonly signal: AbortSignal
  /** Files that are not part of the work. */
  readonly excludedPaths?: readonly string[]
}

const quiet: HereOptions = {
  say: (line) => void process.stderr.write(`${line}\n`),
  signal: new AbortController().signal,
}

/** Creates the state folder if it does not exist. */
export async function openHere(program: Command, options: HereOptions = quiet): Promise<Here> {
  const [{ openInProcess }, { connectInProcess }] = await Promise.all([
    import('../../daemon/in-process/open-in-process.ts'),
    import('../../client/in-process.ts'),
  ])
  const { say, ...rest } = options
  const { answer, driven, close, host } = await openInProcess({
    ...rest,
    folder: await readStateFolder(program),
    onLine: say,
    onProblem: (problem) => say(`warning: ${visible(problem)}`),
  })
  const client = connectInProcess(answer, host.folder)
  return { client, folder: host.folder, driven, close }
}
