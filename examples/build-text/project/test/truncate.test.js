import assert from 'node:assert/strict'
import test from 'node:test'
import * as tools from '../src/index.js'

test('a long text ends with an ellipsis, a short one stays', () => {
  assert.equal(tools.truncate('abcdef', 4), 'abc…')
  assert.equal(tools.truncate('abcd', 4), 'abcd')
})
