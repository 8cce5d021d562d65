import { expect, test } from 'vitest'
import { importedNames } from './imported-names.ts'

test.each([
  ['nothing of it', "import { z } from 'zod'", []],
  ['one name', "import { defineLoop } from 'library'", ['defineLoop']],
  [
    'several, renamed, over lines',
    'import {\n  defineLoop,\n  FaultError as Fault,\n} from "library"',
    ['defineLoop', 'FaultError'],
  ],
  ['two statements', "import { a } from 'library'\nimport { b } from 'library'", ['a', 'b']],
  ['a subpath is another module', "import { a } from 'library/testing'", []],
  ['a namespace', "import * as all from 'library'", undefined],
  ['a default', "import all from 'library'", undefined],
  ['a re-export', "export { openHost } from 'library'", undefined],
  ['a dynamic import', "await import('library')", undefined],
  ['a template', 'await import(`library`)', undefined],
  ['a computed path', "await import('lib' + 'rary')", undefined],
  ['an escape', 'await import("librar\\u0079")', undefined],
  ['a dynamic import of something else', "await import('node:fs')", []],
  ['both', "import { a } from 'library'\nawait import('library')", undefined],
])('%s', (_what, source, names) => {
  expect(importedNames(source, 'library')).toEqual(names)
})
