// Finds out which file an expression names, such as `join(import.meta.dirname, 'mail.html')`, as far as the module alone tells.

import { dirname, join, normalize, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Node, Program } from 'oxc-parser'
import { nameOf, walk, withoutTypes } from './module-facts.ts'

/** The values of the module's constants; without those whose name others have too. */
export type Constants = ReadonlyMap<string, Node>

export const constantsOf = (program: Program): Constants => {
  const values = new Map<string, Node | undefined>()
  walk(program, (node) => {
    if (node.type !== 'VariableDeclaration') return
    for (const { id, init } of node.declarations) {
      const name = nameOf(id)
      if (name !== undefined)
        values.set(name, node.kind === 'const' && init !== null && !values.has(name) ? init : undefined)
    }
  })
  return new Map([...values].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

export type NamedFile = {
  readonly path: string
  /** Named by the place of the module. */
  readonly isBeside: boolean
}

/** Undefined if only running the module tells. `module`: its file. */
export const namedFile = (given: Node, constants: Constants, module: string): NamedFile | undefined => {
  let isBeside = false
  const fromPlace = (place: string): string => {
    isBeside = true
    return place
  }
  const textsOf = (nodes: readonly Node[], known: Constants): readonly string[] | undefined => {
    const texts = nodes.map((one) => textOf(one, known))
    return texts.every((text) => text !== undefined) ? texts : undefined
  }
  /** A path, a part of one, or a URL. */
  const textOf = (typed: Node, known: Constants): string | undefined => {
    const node = withoutTypes(typed)
    switch (node.type) {
      case 'Literal':
        return typeof node.value === 'string' ? node.value : undefined
      case 'Identifier': {
        const value = known.get(node.name)
        // Without itself, which its own value may name.
        if (value !== undefined) return textOf(value, new Map([...known].filter(([name]) => name !== node.name)))
        if (node.name === '__dirname') return fromPlace(dirname(module))
        return node.name === '__filename' ? fromPlace(module) : undefined
      }
      case 'TemplateLiteral': {
        const texts = textsOf(node.expressions, known)
        return texts && node.quasis.map(({ value }, index) => (value.cooked ?? '') + (texts[index] ?? '')).join('')
      }
      case 'BinaryExpression':
        return node.operator === '+' ? textsOf([node.left, node.right], known)?.join('') : undefined
      case 'MemberExpression': {
        const name = node.computed ? undefined : nameOf(node.property)
        if (node.object.type !== 'MetaProperty')
          return name === 'href' || name === 'pathname' ? textOf(node.object, known) : undefined
        if (name === 'url') return fromPlace(pathToFileURL(module).href)
        return name === 'dirname' ? fromPlace(dirname(module)) : name === 'filename' ? fromPlace(module) : undefined
      }
      case 'NewExpression': {
        const [path, base] = nameOf(node.callee) === 'URL' ? (textsOf(node.arguments, known) ?? []) : []
        return path === undefined ? undefined : URL.parse(path, base)?.href
      }
      case 'CallExpression': {
        const { callee } = node
        const name = callee.type === 'MemberExpression' ? nameOf(callee.property) : nameOf(callee)
        const texts = textsOf(node.arguments, known)
        const [first, ...more] = texts ?? []
        return name === undefined || first === undefined ? undefined : PATHS[name]?.(first, ...more)
      }
      default:
        return undefined
    }
  }
  try {
    const text = textOf(given, constants)
    if (text === undefined) return undefined
    return { path: text.startsWith('file:') ? fileURLToPath(text) : text, isBeside }
  } catch {
    return undefined
  }
}

const PATHS: Readonly<Record<string, ((first: string, ...more: string[]) => string) | undefined>> = {
  join,
  resolve,
  normalize,
  dirname: (path) => dirname(path),
  fileURLToPath: (url) => url,
  pathToFileURL: (path) => pathToFileURL(path).href,
}
