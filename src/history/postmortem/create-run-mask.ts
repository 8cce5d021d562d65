/** Masks secrets of a run's workspace in what is shown of its files. */

import type { RunRow } from '../../engine/index.ts'
import { createSecrets } from '../../gateway/index.ts'
import { readRunFolderSettings } from '../../runs/log-dir.ts'
import { findWorkspaceSecrets, readDaemonTokens } from '../../system/find-secrets.ts'
import type { Mask } from '../../system/mask.ts'
import type { FolderHost } from '../run-folder/options.ts'

export async function createRunMask(
  { journal, folder }: Pick<FolderHost, 'journal' | 'folder'>,
  run: Pick<RunRow, 'id' | 'workspace'>,
): Promise<Mask> {
  const settled = await readRunFolderSettings(journal, run.id).catch(() => undefined)
  const secrets = await findWorkspaceSecrets([run.workspace, settled?.workspace], process.env)
  return createSecrets([], [...(await readDaemonTokens(folder)), ...secrets]).maskText
}
