export default {
  programs: ['programs/**/*.ts'],
}
