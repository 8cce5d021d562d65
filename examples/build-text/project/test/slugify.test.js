import assert from 'node:assert/strict'
import test from 'node:test'
import * as tools from '../src/index.js'

test('a title becomes a name for an address', () => {
  assert.equal(tools.slugify('A small Title'), 'a-small-title')
  assert.equal(tools.slugify('  Rock & Roll!  '), 'rock-roll')
})
