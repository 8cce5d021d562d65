/** The settings that hold in the folder one is in, for commands that start runs. */

import type { Command } from 'commander'
import type { LoadedConfig, ReadConfig } from '../definition/config/load-config.ts'
import { defined } from '../loop/index.ts'
import type { Config } from '../protocol/config/config.ts'
import { visible } from './display/render.ts'
import type { SettingOptions } from './run-options.ts'
import { type Session, stateFolderOf } from './session.ts'

/** The files are read once in a command, whatever its parts ask for. */
const read = new WeakMap<Command, Map<string, Promise<ReadConfig>>>()

export async function configHere(
  program: Command,
  flags: Config,
  file?: string,
): Promise<LoadedConfig> {
  const { readConfig, withFlags } = await import('../definition/config/load-config.ts')
  const known = read.get(program) ?? new Map<string, Promise<ReadConfig>>()
  read.set(program, known)
  const cwd = process.cwd()
  const key = JSON.stringify([cwd, file])
  const reading =
    known.get(key) ??
    readConfig({ cwd, folder: await stateFolderOf(program), ...defined({ file }) })
  known.set(key, reading)
  return withFlags(await reading, flags)
}

/** Prints once which settings were not used. */
export async function settingsHere(
  program: Command,
  { json, quiet }: Pick<Session, 'json' | 'quiet'>,
  { config, nameSource, nameModel }: SettingOptions = {},
): Promise<LoadedConfig> {
  const naming = defined({ source: nameSource, model: nameModel })
  const loaded = await configHere(program, { naming }, config)
  if (json || quiet) return loaded
  for (const note of loaded.notes) process.stderr.write(`note: ${visible(note)}\n`)
  return loaded
}
