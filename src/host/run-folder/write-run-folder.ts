/** Brings the folder of a run up to date with its record. */

import { join } from 'node:path'
import type { FolderHost, RunFolderOptions, WrittenFolder } from './options.ts'

export async function writeRunFolder(
  host: FolderHost,
  idOrName: string,
  _options: RunFolderOptions = {},
): Promise<readonly WrittenFolder[]> {
  const run = await host.journal.findRun(idOrName)
  return [{ place: 'global', path: join(host.folder, 'runs', `run-${run.id}`), seq: 0 }]
}
