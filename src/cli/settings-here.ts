/** The settings that hold in the folder one is in, for commands that start runs. */

import type { Command } from 'commander'
import type { LoadedConfig } from '../definition/config/load-config.ts'
import { defined } from '../loop/index.ts'
import { visible } from './display/render.ts'
import type { SettingOptions } from './run-options.ts'
import { recordFolder, type Session } from './session.ts'

/** What was not used of them is said, once. */
export async function settingsHere(
  program: Command,
  { json, quiet }: Pick<Session, 'json' | 'quiet'>,
  { config, nameSource, nameModel }: SettingOptions = {},
): Promise<LoadedConfig> {
  const { loadConfig } = await import('../definition/config/load-config.ts')
  const naming = defined({ source: nameSource, model: nameModel })
  const loaded = await loadConfig({
    folder: await recordFolder(program),
    flags: { naming },
    ...defined({ file: config }),
  })
  if (json || quiet) return loaded
  for (const note of loaded.notes) process.stderr.write(`note: ${visible(note)}\n`)
  return loaded
}
