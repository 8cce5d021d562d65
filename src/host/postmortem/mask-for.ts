/** Takes secrets that lie about where a run worked out of what is shown of its files. */

import type { RunRow } from '../../engine/index.ts'
import { createSecrets } from '../../gateway/index.ts'
import type { Mask } from '../masked.ts'
import { settledBefore } from '../run-folder/log-dir.ts'
import type { FolderHost } from '../run-folder/options.ts'
import { daemonTokens, workspaceSecrets } from '../workspace-secrets.ts'

export async function maskFor(
  { journal, folder }: Pick<FolderHost, 'journal' | 'folder'>,
  run: Pick<RunRow, 'id' | 'workspace'>,
): Promise<Mask> {
  const settled = await settledBefore(journal, run.id).catch(() => undefined)
  const secrets = await workspaceSecrets([run.workspace, settled?.workspace], process.env)
  return createSecrets([], [...(await daemonTokens(folder)), ...secrets]).maskText
}
