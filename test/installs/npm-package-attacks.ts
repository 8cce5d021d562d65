// Packages in a registry of the operator that attack the machine that installs them, and registries
// that redirect elsewhere.

import { type Attack, type Files, manifest, npmLock, type Scene, touch } from './attack.ts'
import { locked, type Published, publish } from './publish.ts'

/** A project that needs this package, locked. */
const wanting = (scene: Scene, one: Published, more: object = {}): Files => ({
  'package.json': manifest({ dependencies: { [one.name]: one.version ?? '1.0.0' } }),
  'package-lock.json': npmLock(
    { [`node_modules/${one.name}`]: locked(scene, one, more) },
    { dependencies: { [one.name]: one.version ?? '1.0.0' } },
  ),
})

interface PackageAttack extends Pick<Attack, 'name' | 'ends' | 'control' | 'isQuick' | 'says'> {
  package(scene: Scene): Published
  /** In its lockfile entry. */
  readonly more?: object
}

const attackOf = ({ package: of, more, ...rest }: PackageAttack): Attack => ({
  ...rest,
  manager: 'npm',
  files: (scene) => wanting(scene, of(scene), more),
  answers: (scene) => publish(scene, of(scene)),
})

const ci = ['npm', 'ci', '--no-audit', '--no-fund', '--fetch-retries=0']
const toNeighbor = (neighbor: string): string => `${'../'.repeat(12)}${neighbor.slice(1)}`

export const npmPackageAttacks: readonly Attack[] = [
  attackOf({
    name: 'install scripts of a package',
    package: (scene) => ({
      name: 'a',
      manifest: { scripts: { preinstall: touch(scene), postinstall: touch(scene) } },
    }),
    more: { hasInstallScript: true },
    ends: 'installed',
    control: ci,
    isQuick: true,
  }),
  attackOf({
    name: 'a package that builds native code',
    package: (scene) => ({
      name: 'a',
      manifest: { gypfile: true, scripts: { install: `node-gyp rebuild; ${touch(scene)}` } },
      entries: [{ name: 'package/binding.gyp', content: '{"targets":[]}' }],
    }),
    more: { hasInstallScript: true, gypfile: true },
    ends: 'installed',
    control: ci,
  }),
  attackOf({
    name: 'a program whose name leaves the bin folder',
    package: (scene) => ({
      name: 'a',
      manifest: {
        bin: {
          [toNeighbor(`${scene.neighbor}/planted`)]: 'run.js',
          '../../../outside': 'run.js',
          [scene.marker]: 'run.js',
        },
      },
      entries: [{ name: 'package/run.js', content: '#!/usr/bin/env node\n', mode: 0o755 }],
    }),
    ends: 'installed',
  }),
  attackOf({
    name: 'a program that is a file of the operator',
    package: (scene) => ({
      name: 'a',
      manifest: { bin: { a: toNeighbor(`${scene.neighbor}/secret.txt`), b: '/etc/passwd' } },
    }),
    ends: 'installed',
  }),
  attackOf({
    name: 'an archive with paths that leave its folder',
    package: (scene) => ({
      name: 'a',
      entries: [
        { name: toNeighbor(scene.marker), content: 'x' },
        { name: `package/${toNeighbor(scene.marker)}`, content: 'x' },
        { name: scene.marker, content: 'x' },
      ],
    }),
    ends: 'either',
    isQuick: true,
  }),
  attackOf({
    name: 'an archive with links, and files behind them',
    package: (scene) => ({
      name: 'a',
      entries: [
        { name: 'package/out', link: scene.neighbor },
        { name: 'package/out/planted', content: 'x' },
        { name: 'package/hard', hardLink: `${scene.neighbor}/secret.txt` },
        { name: 'package/soft', link: `${scene.neighbor}/secret.txt` },
      ],
    }),
    ends: 'either',
  }),
  attackOf({
    name: 'an archive that contains a symlink to a path that programs write to',
    package: (scene) => ({
      name: '.cache',
      entries: [{ name: 'package/x', link: scene.neighbor }],
    }),
    ends: 'either',
  }),
  attackOf({
    name: 'an archive that the registry redirects to another host',
    package: (scene) => ({
      name: 'a',
      answer: { status: 302, headers: { location: `${scene.evil}a.tgz` }, body: '' },
    }),
    ends: 'refused',
    control: ci,
    isQuick: true,
  }),
  attackOf({
    name: 'an archive that the registry redirects to a file and to metadata of a cloud',
    package: () => ({
      name: 'a',
      answer: {
        status: 302,
        headers: { location: 'http://169.254.169.254/latest/meta-data/' },
        body: '',
      },
    }),
    ends: 'refused',
  }),
  {
    name: 'metadata with an archive on another host',
    manager: 'npm',
    files: () => ({
      'package.json': manifest({ dependencies: { a: '1.0.0' } }),
      'package-lock.json': npmLock(
        { 'node_modules/a': { version: '1.0.0' } },
        { dependencies: { a: '1.0.0' } },
      ),
    }),
    answers: (scene) => publish(scene, { name: 'a', archive: `${scene.evil}a.tgz` }),
    ends: 'refused',
    control: ci,
  },
  {
    name: 'metadata that is redirected to another host',
    manager: 'npm',
    files: () => ({
      'package.json': manifest({ dependencies: { a: '1.0.0' } }),
      'package-lock.json': npmLock(
        { 'node_modules/a': { version: '1.0.0' } },
        { dependencies: { a: '1.0.0' } },
      ),
    }),
    answers: (scene) => ({
      '/a': { status: 301, headers: { location: `${scene.evil}a` }, body: '' },
    }),
    ends: 'refused',
    control: ci,
  },
  {
    name: 'other bytes than in the lockfile, from a registry that both use',
    manager: 'npm',
    files: (scene) => wanting(scene, { name: 'a' }),
    answers: (scene) =>
      publish(scene, { name: 'a', entries: [{ name: 'package/index.js', content: 'evil()' }] }),
    ends: 'refused',
  },
]
