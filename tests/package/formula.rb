# SPDX-License-Identifier: Apache-2.0
#
# formula.rb - installs and tests a formula where there is no Homebrew:
#
#   ruby formula.rb FORMULA SOURCE PREFIX     SOURCE: its archive, unpacked
#
# It knows the words of Homebrew that hone's formula uses, by their documented meaning, and no other:
# a word that is misspelt ends it. What a formula depends on is named, and taken from the machine.
# What it cannot tell: what brew audit says, and whether the libraries of Homebrew do.

class Formula
  @said = { depends: [] }
  class << self
    attr_reader :said

    def inherited(formula)
      super
      formula.instance_variable_set(:@said, { depends: [] })
    end

    [:desc, :homepage, :url, :sha256, :license].each do |word|
      define_method(word) do |text|
        raise "#{word} is said twice" if said.key?(word)
        raise "#{word} says nothing" if text.empty?

        said[word] = text
      end
    end

    def depends_on(what)
      name, role = what.is_a?(Hash) ? what.first : [what, nil]
      said[:depends] << [name, role].compact.join(":")
    end

    def test(&block)
      said[:test] = block
    end
  end

  attr_reader :prefix, :assertions

  def initialize(prefix)
    @prefix = prefix
    @assertions = 0
  end

  def bin
    "#{prefix}/bin"
  end

  # Of the archive's name, as Homebrew takes it where a formula does not say it.
  def version
    self.class.said[:url][/-(\d+(?:\.\d+)+)\.tar\.gz\z/, 1] or raise "url names no version"
  end

  def system(*words)
    Kernel.system(*words) or raise "failed: #{words.join(' ')}"
  end

  def shell_output(command)
    text = `#{command}`
    $?.success? or raise "failed: #{command}"
    text
  end

  def assert_equal(wanted, got)
    wanted == got or raise "got #{got.inspect}, wanted #{wanted.inspect}"
    @assertions += 1
  end

  def assert_match(wanted, got)
    got.match?(wanted) or raise "#{wanted.inspect} is not in #{got.inspect}"
    @assertions += 1
  end
end

file, source, prefix = ARGV
require File.expand_path(file)
said = Hone.said
[:desc, :homepage, :url, :sha256, :license, :test].each do |word|
  said.key?(word) or raise "the formula has no #{word}"
end
said[:desc].length <= 80 or raise "desc is longer than 80"
formula = Hone.new(prefix)
Dir.chdir(source) { formula.install }
formula.instance_eval(&said[:test])
puts "version #{formula.version}"
puts "depends on #{said[:depends].join(' ')}"
puts "#{formula.assertions} assertions hold"
