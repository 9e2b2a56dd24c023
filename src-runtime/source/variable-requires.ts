// Finds modules of packages that require what no bundler can find, because its name is only known when they run.

import type { Node } from 'oxc-parser'
import { OWN_MODULE } from './bundling.ts'
import { nameOf, walk } from './module-facts.ts'
import { parse, tooDeep } from './parse.ts'
import { patternNames } from './pattern-names.ts'
import { isDependency, type SourceFiles } from './source-files.ts'

const BY_VARIABLE = /\brequire\(\s*[^\s'"`)]/

/** Such as a database's driver. The bundler looks for the modules of a path that begins with `./`. */
export const requiresByVariable = (files: SourceFiles, name: string): boolean => {
  const text = isDependency(name) ? (files.text(name) ?? '') : ''
  if (!BY_VARIABLE.test(text) || !OWN_MODULE.test(name) || tooDeep(name, text, 'unambiguous') !== undefined)
    return false
  let found = false
  let isOwn = false
  walk(parse(name, text, 'unambiguous').program, (node) => {
    const written = ({ start, end }: Node): string => text.slice(start, end)
    if ('params' in node && Array.isArray(node.params) && node.params.flatMap(patternNames).includes('require'))
      return false
    if ('id' in node && node.id?.type === 'Identifier' && node.id.name === 'require')
      isOwn ||= !written(node).includes('createRequire')
    if (node.type === 'IfStatement' && written(node.test).includes('require.main')) return false
    // It does without.
    if (node.type === 'TryStatement' && node.handler !== null && !/\bthrow\b/.test(written(node.handler))) return false
    const [given] = node.type === 'CallExpression' && nameOf(node.callee) === 'require' ? node.arguments : []
    found ||= ['Identifier', 'MemberExpression', 'CallExpression'].includes(given?.type ?? '')
    return true
  })
  return found && !isOwn
}
