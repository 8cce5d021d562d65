/** For each package manager: how its lockfile is read, and which registries it has inside the sandbox. */

import { join } from 'node:path'
import { defined } from '../../../loop/index.ts'
import { copyFromMirror } from './cargo-folder.ts'
import { cargoRegistry } from './cargo-routes.ts'
import { readCargoLockfile, readGoMod } from './compiled-lockfiles.ts'
import type { LockfileReading, ToOurs } from './lockfile-reading.ts'
import { readNpmLockfile } from './npm-lockfile.ts'
import { npmAddresses, npmRoutes, npmrcInside, unknownRegistries } from './npm-routes.ts'
import { type NpmSettings, parseNpmrc, readNpmSettings } from './npm-settings.ts'
import { type ProxySettings, readProxySettings } from './operator-proxy.ts'
import { goRegistry, type OperatorRegistry } from './other-routes.ts'
import { parseYamlAside } from './parse-yaml-aside.ts'
import { readBunLockfile, readPnpmLockfile } from './pnpm-lockfile.ts'
import { readPoetryLockfile, readRequirements, readUvLockfile } from './python-lockfiles.ts'
import { pythonRegistry } from './python-routes.ts'
import { registryUrl } from './registry-endpoint.ts'
import { isBerry, readYarnLockfile } from './yarn-lockfile.ts'

export interface ManagerRegistries extends OperatorRegistry {
  /** The lockfile; for Go its manifest, which says what the lockfile does not. */
  read(text: string): Promise<LockfileReading>
  /** Files of ours for the folder of the install, in place of those of the project. */
  files(project: ProjectSettings): Readonly<Record<string, string>>
  /** Registries that only the project names, as lines for the settings of the operator. */
  unknown(project: ProjectSettings): readonly string[]
  /** Puts packages that the operator has in a folder into the folder of the install. */
  fill?(lockfile: string, folder: string): Promise<void>
  readonly caFile?: string
  readonly isStrictSsl?: boolean
  readonly proxy?: ProxySettings
}

/** What the project says; data, never a setting. */
export interface ProjectSettings {
  readonly npmrc?: string
}

export function operatorRegistries(manager: string): ManagerRegistries {
  switch (manager) {
    case 'npm':
      return ofNpm(readNpmLockfile)
    case 'pnpm':
      return ofNpm(readPnpmLockfile, () => true)
    case 'yarn':
      return ofNpm(readYarnLockfile, isBerry)
    case 'bun':
      return ofNpm(readBunLockfile, () => true)
    case 'pip':
      return ofPython(readRequirements)
    case 'uv':
      return ofPython(readUvLockfile)
    case 'poetry':
      return ofPython(readPoetryLockfile)
    case 'cargo': {
      const { mirror, isKnown, config, ...registry } = cargoRegistry()
      return {
        ...registry,
        read: async (text) => readCargoLockfile(text, isKnown),
        // In cargo's home, where checks have it as well.
        files: () => ({ '.store/config.toml': config }),
        ...(mirror === undefined
          ? {}
          : { fill: (text, folder) => copyFromMirror(mirror, text, join(folder, '.store')) }),
        unknown: () => [],
        proxy: readProxySettings(),
      }
    }
    default:
      return {
        ...goRegistry(),
        read: async (text) => readGoMod(text),
        files: () => ({}),
        unknown: () => [],
        proxy: readProxySettings(),
      }
  }
}

type ReadLockfile = (text: string, toOurs: ToOurs, yaml?: unknown) => LockfileReading

function ofNpm(
  read: ReadLockfile,
  isYaml: (text: string) => boolean = () => false,
): ManagerRegistries {
  const settings: NpmSettings = readNpmSettings()
  const toOurs = npmAddresses(settings)
  const projectOf = ({ npmrc = '' }: ProjectSettings): ReadonlyMap<string, string> =>
    parseNpmrc(npmrc)
  const registry = `${registryUrl}npm/0/`
  return {
    routes: npmRoutes(settings),
    env: {
      npm_config_registry: registry,
      // The endpoint is near; npm would wait for ten seconds, and then for a minute.
      npm_config_fetch_retry_mintimeout: '1000',
      npm_config_fetch_retry_maxtimeout: '5000',
      npm_config_update_notifier: 'false',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      BUN_CONFIG_REGISTRY: registry,
      YARN_NPM_REGISTRY_SERVER: registry.replace(/\/$/, ''),
      YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
    },
    toOurs,
    readOnly: [],
    ...defined({ caFile: settings.caFile }),
    isStrictSsl: settings.isStrictSsl,
    ...defined({ proxy: settings.proxy }),
    // What is not YAML is null: it is not parsed again.
    read: async (text) =>
      isYaml(text) ? read(text, toOurs, (await parseYamlAside(text)) ?? null) : read(text, toOurs),
    files: (project) => ({ '.npmrc': npmrcInside(settings, projectOf(project)) }),
    unknown: (project) =>
      unknownRegistries(settings, projectOf(project)).map(({ key, url }) => `${key}=${url}`),
  }
}

function ofPython(read: (text: string, toOurs: ToOurs) => LockfileReading): ManagerRegistries {
  const registry = pythonRegistry()
  return {
    ...registry,
    read: async (text) => read(text, registry.toOurs),
    files: () => ({}),
    unknown: () => [],
    proxy: readProxySettings(),
  }
}
