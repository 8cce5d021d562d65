/**
 * Loads the configuration. Precedence: flags, environment, the project's file, the user's file, defaults.
 *
 * The modules that parse files are loaded only if there is a file, which keeps quick commands fast.
 */

import { type Config, type Settings, withDefaults } from '../../protocol/config/config.ts'
import { listSettings, toConfig } from '../../protocol/config/setting-rules.ts'
import { stateFolder } from '../../system/index.ts'
import type { ConfigEntry, Origin } from './config-entry.ts'
import { type Environment, findConfigFiles, userConfigPath } from './find-files.ts'
import { readEnvironment } from './read-environment.ts'
import { restrictProject } from './restrict-project.ts'

export type { Origin } from './config-entry.ts'

export interface ConfigOptions {
  /** The current folder, where the search for the project's file starts. */
  readonly cwd?: string
  readonly environment?: Environment
  /** Settings from the command line. */
  readonly flags?: Config
  /** An additional file (`--config`); overrides discovered ones. */
  readonly file?: string
  /** The state folder, which contains the list of trusted files. */
  readonly folder?: string
}

export interface LoadedConfig {
  readonly settings: Settings
  /** Where each setting comes from, by its dotted name. Without defaults. */
  readonly origins: Readonly<Record<string, Origin>>
  /** Warnings for the user, such as ignored settings. */
  readonly notes: readonly string[]
  /** The files that were read, highest precedence first. */
  readonly files: readonly string[]
}

/** For commands. Rejects with `bad-config`, or `unknown-file` if `file` does not exist. */
export const loadConfig = (options: ConfigOptions = {}): Promise<LoadedConfig> =>
  load({ cwd: process.cwd(), ...options })

/** For the daemon, which serves all projects and ignores their files. */
export const loadDaemonConfig = ({
  environment = process.env,
  flags = {},
}: Pick<ConfigOptions, 'environment' | 'flags'> = {}): Promise<LoadedConfig> =>
  load({ environment: { ...environment, LOOP_CONFIG: undefined }, flags })

/** The settings of files and environment, without flags. */
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
  // Lowest precedence first: later entries override earlier ones, and project files are compared with the user's.
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
    settings: withDefaults(toConfig(all.map(({ rule, value }) => [rule, value] as const))),
    origins: Object.fromEntries(all.map(({ rule, origin }) => [rule.name, origin])),
    notes,
    files,
  }
}
