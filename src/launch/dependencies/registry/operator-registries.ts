/** For each package manager: how to read its lockfile, and its registries in the sandbox. */

import { join } from 'node:path'
import { defined } from '../../../loop/index.ts'
import { copyFromMirror } from './cargo-folder.ts'
import { cargoRegistry } from './cargo-routes.ts'
import { readCargoLockfile, readGoMod } from './compiled-lockfiles.ts'
import { goRegistry, type OperatorRegistry } from './go-routes.ts'
import type { LockfileReading, ToEndpointUrl } from './lockfile-reading.ts'
import { readNpmLockfile } from './npm-lockfile.ts'
import { createNpmrc, createNpmUrlMapper, listUnknownRegistries, npmRoutes } from './npm-routes.ts'
import { type NpmSettings, parseNpmrc, readNpmSettings } from './npm-settings.ts'
import { type ProxySettings, readProxySettings } from './operator-proxy.ts'
import { parseYamlInThread } from './parse-yaml-in-thread.ts'
import { readBunLockfile, readPnpmLockfile } from './pnpm-lockfile.ts'
import { readPoetryLockfile, readRequirements, readUvLockfile } from './python-lockfiles.ts'
import { pythonRegistry } from './python-routes.ts'
import { registryUrl } from './registry-endpoint.ts'
import { isBerry, readYarnLockfile } from './yarn-lockfile.ts'

export interface ManagerRegistries extends OperatorRegistry {
  /** Reads the lockfile; for Go its manifest, because the lockfile contains only digests. */
  read(text: string): Promise<LockfileReading>
  /** Settings files for the install folder, instead of those of the project. */
  files(project: ProjectSettings): Readonly<Record<string, string>>
  /** Lists registries that only the project names, as lines for the operator's settings. */
  listUnknown(project: ProjectSettings): readonly string[]
  /** Copies packages from the operator's local mirror into the install folder. */
  copyMirrored?(lockfile: string, folder: string): Promise<void>
  readonly caFile?: string
  readonly isStrictSsl?: boolean
  readonly proxy?: ProxySettings
}

/** Settings of the project: read as data, never applied. */
export interface ProjectSettings {
  readonly npmrc?: string
}

export function operatorRegistries(manager: string): ManagerRegistries {
  switch (manager) {
    case 'npm':
      return createNpmRegistries(readNpmLockfile)
    case 'pnpm':
      return createNpmRegistries(readPnpmLockfile, () => true)
    case 'yarn':
      return createNpmRegistries(readYarnLockfile, isBerry)
    case 'bun':
      return createNpmRegistries(readBunLockfile, () => true)
    case 'pip':
      return createPythonRegistries(readRequirements)
    case 'uv':
      return createPythonRegistries(readUvLockfile)
    case 'poetry':
      return createPythonRegistries(readPoetryLockfile)
    case 'cargo': {
      const { mirror, isKnown, config, ...registry } = cargoRegistry()
      return {
        ...registry,
        read: async (text) => readCargoLockfile(text, isKnown),
        // In the home folder of cargo, which checks use as well.
        files: () => ({ '.store/config.toml': config }),
        ...(mirror === undefined
          ? {}
          : {
              copyMirrored: (text, folder) => copyFromMirror(mirror, text, join(folder, '.store')),
            }),
        listUnknown: () => [],
        proxy: readProxySettings(),
      }
    }
    default:
      return {
        ...goRegistry(),
        read: async (text) => readGoMod(text),
        files: () => ({}),
        listUnknown: () => [],
        proxy: readProxySettings(),
      }
  }
}

type ReadLockfile = (text: string, toEndpointUrl: ToEndpointUrl, yaml?: unknown) => LockfileReading

function createNpmRegistries(
  read: ReadLockfile,
  isYaml: (text: string) => boolean = () => false,
): ManagerRegistries {
  const settings: NpmSettings = readNpmSettings()
  const toEndpointUrl = createNpmUrlMapper(settings)
  const parseProject = ({ npmrc = '' }: ProjectSettings): ReadonlyMap<string, string> =>
    parseNpmrc(npmrc)
  const registry = `${registryUrl}npm/0/`
  return {
    routes: npmRoutes(settings),
    env: {
      npm_config_registry: registry,
      // The endpoint is local; by default npm waits for ten seconds, then for a minute.
      npm_config_fetch_retry_mintimeout: '1000',
      npm_config_fetch_retry_maxtimeout: '5000',
      npm_config_update_notifier: 'false',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      BUN_CONFIG_REGISTRY: registry,
      YARN_NPM_REGISTRY_SERVER: registry.replace(/\/$/, ''),
      YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
    },
    toEndpointUrl,
    readOnly: [],
    ...defined({ caFile: settings.caFile }),
    isStrictSsl: settings.isStrictSsl,
    ...defined({ proxy: settings.proxy }),
    // Null, not undefined, for text that is not YAML: otherwise it would be parsed again.
    read: async (text) =>
      isYaml(text)
        ? read(text, toEndpointUrl, (await parseYamlInThread(text)) ?? null)
        : read(text, toEndpointUrl),
    files: (project) => ({ '.npmrc': createNpmrc(settings, parseProject(project)) }),
    listUnknown: (project) =>
      listUnknownRegistries(settings, parseProject(project)).map(({ key, url }) => `${key}=${url}`),
  }
}

function createPythonRegistries(
  read: (text: string, toEndpointUrl: ToEndpointUrl) => LockfileReading,
): ManagerRegistries {
  const registry = pythonRegistry()
  return {
    ...registry,
    read: async (text) => read(text, registry.toEndpointUrl),
    files: () => ({}),
    listUnknown: () => [],
    proxy: readProxySettings(),
  }
}
