/**
 * The settings that hold here: flags, environment, the project's file, the user's file, defaults, in
 * this order.
 *
 * Where there is no file, nothing is loaded that reads one: quick commands stay quick.
 */

import { type Config, type Settings, withDefaults } from '../../protocol/config/config.ts'
import { configOf, listSettings } from '../../protocol/config/setting-rules.ts'
import { stateFolder } from '../../system/index.ts'
import type { ConfigEntry, Origin } from './config-entry.ts'
import { type Environment, findConfigFiles, userConfigPath } from './find-files.ts'
import { readEnvironment } from './read-environment.ts'
import { restrictProject } from './restrict-project.ts'

export type { Origin } from './config-entry.ts'

export interface ConfigOptions {
  /** The folder that one is in; the project's file is looked for from here upward. */
  readonly cwd?: string
  readonly environment?: Environment
  /** What the command line says. */
  readonly flags?: Config
  /** A file to use besides those that are found, and before them (`--config`). */
  readonly file?: string
  /** The folder of the record, where it is kept what is trusted. */
  readonly folder?: string
}

export interface LoadedConfig {
  readonly settings: Settings
  /** Where each setting that was set comes from, by its name with a dot. */
  readonly origins: Readonly<Record<string, Origin>>
  /** What was not used, and why; what a person should know. */
  readonly notes: readonly string[]
  /** The files that were read, the strongest first. */
  readonly files: readonly string[]
}

/** For commands. Rejects with `bad-config`, or `unknown-file` for one that was named. */
export const loadConfig = (options: ConfigOptions = {}): Promise<LoadedConfig> =>
  load({ cwd: process.cwd(), ...options })

/** For the daemon, which serves every project and reads the files of none. */
export const loadDaemonConfig = ({
  environment = process.env,
  flags = {},
}: Pick<ConfigOptions, 'environment' | 'flags'> = {}): Promise<LoadedConfig> =>
  load({ environment: { ...environment, LOOP_CONFIG: undefined }, flags })

/** What files and environment say, without flags. */
export interface ReadConfig {
  readonly entries: readonly ConfigEntry[]
  readonly notes: readonly string[]
  readonly files: readonly string[]
}

const load = async (options: ConfigOptions): Promise<LoadedConfig> =>
  withFlags(await readConfig(options), options.flags)

/** Reads the files once, for callers that need the settings with several sets of flags. */
export async function readConfig(options: Omit<ConfigOptions, 'flags'>): Promise<ReadConfig> {
  const environment = options.environment ?? process.env
  const found = findConfigFiles({ cwd: options.cwd, file: options.file, environment })
  const notes = [...found.notes]
  const user: ConfigEntry[] = []
  const project: ConfigEntry[] = []
  // The weakest first, so that what is stronger is compared with it and comes after it.
  for (const file of found.files.toReversed()) {
    const { readConfigFile } = await import('./read-config-file.ts')
    const folder = options.folder ?? stateFolder(environment)
    const read = await readConfigFile(file, { folder, environment })
    notes.push(...read.notes)
    if (file.of === 'user') user.push(...read.entries)
    else {
      const { isTrusted } = read
      const userFile = userConfigPath(environment)
      const restricted = restrictProject(read.entries, {
        file: file.path,
        isTrusted,
        user,
        userFile,
      })
      notes.push(...restricted.notes)
      project.push(...restricted.entries)
    }
  }
  const ofEnvironment = readEnvironment(environment)
  return {
    entries: [...user, ...project, ...ofEnvironment.entries],
    notes: [...notes, ...ofEnvironment.notes],
    files: found.files.map(({ path }) => path),
  }
}

/** Flags override everything else. */
export function withFlags({ entries, notes, files }: ReadConfig, flags: Config = {}): LoadedConfig {
  const given = listSettings(flags).map(([rule, value]) => {
    return { rule, value, origin: { type: 'flag' } } as const
  })
  const all = [...entries, ...given]
  return {
    settings: withDefaults(configOf(all.map(({ rule, value }) => [rule, value] as const))),
    origins: Object.fromEntries(all.map(({ rule, origin }) => [rule.name, origin])),
    notes,
    files,
  }
}
