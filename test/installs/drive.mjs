// A process that opens the dependency layer of one repository and prints the result: started as
// another user. `node drive.mjs <dist> <file with the job>`; it runs the output of `npm run build`.

import { readFileSync } from 'node:fs'

const [, , dist, file] = process.argv
const { openLayer } = await import(`${dist}/launch/dependencies/open-layer.js`)
const { createMemoryTrees } = await import(`${dist}/testing/memory-trees.js`)
const { files, state, mode, checkout } = JSON.parse(readFileSync(file, 'utf8'))

const trees = createMemoryTrees()
const open = () =>
  openLayer({
    reader: trees,
    lockfileTree: trees.put(files),
    mode,
    stateFolder: state,
    checkout,
    signal: new AbortController().signal,
  })
const answer = await open()
  // Again, like the next certification: from the existing layer.
  .then(open)
  .then(
    ({ mounts, readOnly }) => ({ ends: 'installed', message: '', mounts, readOnly }),
    (error) => ({
      ends: error.refusal === undefined ? 'broken' : 'refused',
      message: error.refusal === undefined ? `${error.stack}` : error.message,
      mounts: [],
      readOnly: [],
    }),
  )
process.stdout.write(`${JSON.stringify(answer)}\n`)
process.exit(0)
