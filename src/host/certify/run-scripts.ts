/** Runs install scripts of packages in the sandbox, with the layer as workspace and the network of an install. */

import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findOnPath } from '../../workspace/index.ts'
import { type PackageScripts, scriptPath } from './install-scripts.ts'
import { type Installing, programFolders, runInside } from './run-manager.ts'

const advice =
  'Install scripts can reach only your registries. If the script downloads something else or needs a compiler ' +
  'that is not installed, install the package in your checkout'

export async function runScripts(
  installing: Installing,
  packages: readonly PackageScripts[],
): Promise<void> {
  const gyp = await findGyp()
  const headers = nodeHeaders()
  for (const one of packages) {
    const folders = [...scriptPath(one, installing.path), ...gyp, programFolders(process.execPath)]
    for (const { event, command } of one.scripts) {
      await runInside(installing, '/bin/sh', ['-c', command], one.folder, {
        what: `The ${event} script of ${one.name}@${one.version} (${command.slice(0, 100)})`,
        advice,
        readOnly: [...gyp.map((folder) => dirname(dirname(folder))), ...headers],
        env: {
          PATH: folders.join(':'),
          INIT_CWD: installing.path,
          npm_lifecycle_event: event,
          npm_package_name: one.name,
          npm_package_version: one.version,
          npm_node_execpath: process.execPath,
          // Without them node-gyp would download them from an address that is no registry.
          ...(headers[0] === undefined ? {} : { npm_config_nodedir: headers[0] }),
        },
      })
    }
  }
}

/** The program node-gyp that comes with npm. */
async function findGyp(): Promise<readonly string[]> {
  const [npm] = await findOnPath('npm', { asOrdered: true })
  if (npm === undefined) return []
  const root = dirname(dirname(await realpath(npm)))
  const folders = [
    join(root, 'node_modules', '@npmcli', 'run-script', 'lib', 'node-gyp-bin'),
    join(root, 'bin', 'node-gyp-bin'),
  ]
  return folders.filter((folder) => existsSync(folder)).slice(0, 1)
}

/** Where this Node has its headers, to build native code against. */
function nodeHeaders(): readonly string[] {
  const prefix = dirname(dirname(process.execPath))
  return existsSync(join(prefix, 'include', 'node', 'node.h')) ? [prefix] : []
}
