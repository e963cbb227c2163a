// Command: a subcommand as help, manual page, completion and the parser all see it.
//
// It is plain data: options, examples and what to run. Nothing about a command is written down
// anywhere else, so the four cannot disagree. Only parser.cpp knows CLI11, which makes its own
// picture of a Command when a line has to be parsed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pegasos::cli {

struct Example {
  std::string line;    // as typed: "pegasos inspect train.svm"
  std::string effect;  // one sentence, what it does
};

// One option or argument, as the texts and scripts made from a Command need it.
//
// The type name of an option is the whole truth about its values: "svmlight|csv|CHAR" offers two
// words and something free; FILE is a file name; "" takes no value.
struct OptionView {
  std::vector<std::string> flags;  // "-q", "--quiet"; empty for an argument
  std::string name;                // of an argument: "DATA", or its words; else the last flag
  std::string value;               // the type name
  std::vector<std::string> words;  // the fixed words in it
  std::string help;
  std::string group;
  bool is_argument = false;
  bool is_file = false;
  bool required = false;
  bool repeatable = false;
};

// An option of a Command, which owns it. The setters return it, to be chained in a definition.
class Option {
 public:
  enum class Kind { flag, value, list, help, version };
  using Assign = std::function<void(const std::vector<std::string>&)>;

  Option(Kind kind, const std::string& flags, Assign assign, std::string help);

  Option* group(const std::string& name);  // "" hides it
  Option* type_name(const std::string& name);
  Option* required();
  Option* separator(char between);  // of a list: several values in one word

  Kind kind() const { return kind_; }
  // As CLI11 wants them: "-q,--quiet", or the name of an argument.
  const std::string& spelling() const { return spelling_; }
  char separator() const { return separator_; }
  bool is_hidden() const { return view_.group.empty(); }
  const OptionView& view() const { return view_; }
  // How many values were given on the line that was parsed last.
  std::size_t count() const { return count_; }
  void set_count(std::size_t count) { count_ = count; }
  void assign(const std::vector<std::string>& values) const { assign_(values); }

 private:
  Kind kind_;
  std::string spelling_;
  Assign assign_;
  OptionView view_;
  char separator_ = '\0';
  std::size_t count_ = 0;
};

class Command {
 public:
  // Gives a command options, examples and work.
  using Define = std::function<void(Command&)>;

  Command(std::string name, std::string summary, const Command* parent = nullptr);

  // Fluent, for the definition of a command.
  Command& describe(std::string text);
  Command& example(std::string line, std::string effect);
  // The int is the exit code.
  Command& runs(std::function<int()> work);

  // Started by mpirun, every rank takes part with its share of the rows. Other commands run on
  // rank 0 alone.
  Command& divides_rows();

  // Options: a text, several texts, a text handed to a function, several handed to one, a flag.
  // `flags` is "-q,--quiet", or a name without a dash for an argument.
  Option* add_option(const std::string& flags, std::string& text, const std::string& help);
  Option* add_option(const std::string& flags, std::vector<std::string>& texts,
                     const std::string& help);
  Option* add_option(const std::string& flags, std::function<void(const std::string&)> assign,
                     const std::string& help);
  Option* add_list(const std::string& flags, Option::Assign assign, const std::string& help);
  Option* add_flag(const std::string& flags, bool& flag, const std::string& help);
  Option* add_flag(const std::string& flags, std::function<void()> act, const std::string& help);
  Option* add_version_flag(const std::string& flags, const std::string& help);
  // A subcommand, which is defined when something besides its name and summary is wanted of it: the
  // options of all commands take half a millisecond of every start.
  void add_command(const std::string& name, const std::string& summary, Define define);

  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }
  const Command& parent() const { return *parent_; }  // of a subcommand
  const std::string& details() const { return defined().details_; }
  const std::vector<Example>& examples() const { return defined().examples_; }
  int run() const { return defined().work_(); }
  bool can_run() const { return defined().work_ != nullptr; }
  bool can_divide_rows() const { return defined().divides_rows_; }

  // "pegasos inspect"
  std::string full_name() const;
  // "pegasos inspect DATA [options]"
  std::string usage() const;

  const std::vector<std::unique_ptr<Option>>& options() const { return defined().options_; }
  // Whether the option with this flag was on the line that was parsed.
  bool was_given(const std::string& flag) const;
  // What is to be shown of the options.
  std::vector<OptionView> views() const;
  std::vector<const Command*> commands() const;
  const Command* find_command(const std::string& name) const;
  std::vector<std::string> command_names() const;

 private:
  Option* add(Option::Kind kind, const std::string& flags, Option::Assign assign,
              const std::string& help);
  // This, once it has been defined.
  const Command& defined() const {
    if (define_) std::exchange(define_, nullptr)();
    return *this;
  }

  std::string name_;
  std::string summary_;
  const Command* parent_;
  std::string details_;
  std::vector<Example> examples_;
  std::vector<std::unique_ptr<Option>> options_;
  std::vector<std::unique_ptr<Command>> commands_;
  std::function<int()> work_;
  bool divides_rows_ = false;
  mutable std::function<void()> define_;  // until it has run
};

}  // namespace pegasos::cli
