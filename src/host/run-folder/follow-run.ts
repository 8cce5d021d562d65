/** Keeps the folder of a run in step with its record, beside the run and never in its way. */

import type { FolderHost, RunFolderFollower, RunFolderOptions } from './options.ts'
import { writeRunFolder } from './write-run-folder.ts'

export function followRun(
  host: FolderHost,
  run: string,
  options: RunFolderOptions = {},
): RunFolderFollower {
  const write = (): Promise<void> =>
    writeRunFolder(host, run, options).then(
      () => undefined,
      (error: unknown) => options.onProblem?.(String(error)),
    )
  const done = write()
  return { done, stop: write }
}
