import { expect, test } from 'vitest'
import { importedNames } from './imported-names.ts'

test.each([
  ['nothing of it', "import { z } from 'zod'", []],
  ['one name', "import { defineLoop } from 'loopwright'", ['defineLoop']],
  [
    'several, renamed, over lines',
    'import {\n  defineLoop,\n  FaultError as Fault,\n} from "loopwright"',
    ['defineLoop', 'FaultError'],
  ],
  ['two statements', "import { a } from 'loopwright'\nimport { b } from 'loopwright'", ['a', 'b']],
  ['a subpath is another module', "import { a } from 'loopwright/testing'", []],
  ['a namespace', "import * as all from 'loopwright'", undefined],
  ['a default', "import all from 'loopwright'", undefined],
  ['a re-export', "export { openHost } from 'loopwright'", undefined],
  ['a dynamic import', "await import('loopwright')", undefined],
  ['a template', 'await import(`loopwright`)', undefined],
  ['a computed path', "await import('loop' + 'wright')", undefined],
  ['an escape', 'await import("loopwrigh\\u0074")', undefined],
  ['a dynamic import of something else', "await import('node:fs')", []],
  ['both', "import { a } from 'loopwright'\nawait import('loopwright')", undefined],
])('%s', (_what, source, names) => {
  expect(importedNames(source, 'loopwright')).toEqual(names)
})
